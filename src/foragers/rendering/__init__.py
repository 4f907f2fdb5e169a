"""Pages that need JavaScript: how they are recognised, and how a browser renders them."""
