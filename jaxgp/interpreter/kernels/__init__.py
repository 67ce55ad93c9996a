"""Kernels for a GPU, each the whole of a loop of the interpreter, and where they are used."""
