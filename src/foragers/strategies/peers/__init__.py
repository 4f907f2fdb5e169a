"""Published crawlers in their own words and with their own settings, to compare with."""
