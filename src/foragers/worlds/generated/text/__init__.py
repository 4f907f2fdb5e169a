"""Words, links and pages of generated webs."""
