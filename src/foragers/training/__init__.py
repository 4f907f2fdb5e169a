"""Learning beforehand: from recorded worlds to a model that strategies can use."""
