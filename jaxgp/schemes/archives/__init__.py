"""Archives of individuals that differ from each other."""
