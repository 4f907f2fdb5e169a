"""What the papers on fleets share: webs, runs and measures."""
