"""Champions measured."""
