"""Searches on a CPU in C++ that is made from rules: what all have in common, and alpha-beta search of games for two."""
