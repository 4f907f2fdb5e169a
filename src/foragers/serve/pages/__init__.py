"""The pages of each kind of folder."""
