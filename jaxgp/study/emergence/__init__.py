"""Where the strength of a champion sits: its terminals alone, disabled and left out, pairs and groups of them."""
