"""A watch of sites in its folder: what is new, the feeds and messages, and whether it kept time."""
