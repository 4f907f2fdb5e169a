"""A frontier for other crawlers, with the interface of URLFrontier (`foragers frontier`)."""
