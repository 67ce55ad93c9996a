"""How positions, moves and games of chess are written: FEN, SAN, PGN."""
