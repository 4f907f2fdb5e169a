"""Words, and how alike texts are."""
