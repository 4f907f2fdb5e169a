"""`watch`: looks at the pages of sites where new pages turn up, as often as that pays."""
