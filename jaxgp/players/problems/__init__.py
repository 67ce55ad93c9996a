"""How genomes search problems whose answer is a tree."""
