"""Tables of board games."""
