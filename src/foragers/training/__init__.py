"""Training: models for strategies, made from recorded worlds."""
