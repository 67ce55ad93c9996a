"""Tables of speed."""
