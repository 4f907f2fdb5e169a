"""From bytes to words and links."""
