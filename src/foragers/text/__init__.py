"""Words of texts, and classifiers and similarities built on them."""
