"""What evolves: linear programs, as arrays."""
