"""Champions in other notations."""
