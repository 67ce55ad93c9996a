"""What programs consist of: introns, use of primitives, and simpler programs that decide equally."""
