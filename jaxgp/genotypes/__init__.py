"""What evolves: linear programs and rule lists, as arrays; their languages and text forms."""
