"""The live web: jobs, robots.txt, throttle, scheduler and history."""
