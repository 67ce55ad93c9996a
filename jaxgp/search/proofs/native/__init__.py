"""Depth-first searches of problems in C++, made from their rules."""
