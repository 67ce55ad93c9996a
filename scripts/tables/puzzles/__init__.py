"""Tables of documents about puzzles, made from searches of their instances."""
