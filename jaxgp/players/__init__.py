"""Ways to turn a genome, a search or chance into moves, for many games at once."""
