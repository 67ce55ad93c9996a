"""Searches of puzzles on a CPU, in C++ that is made from the rules and the orders of a puzzle."""
