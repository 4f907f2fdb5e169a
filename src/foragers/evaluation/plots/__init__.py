"""Pictures: labelled axes, legends, the same bytes for the same data."""
