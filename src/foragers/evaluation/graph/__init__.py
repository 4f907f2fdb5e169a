"""The structure of webs."""
