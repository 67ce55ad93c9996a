"""Kernels for a GPU, each the whole of a loop of the interpreter; off until a device says that they are faster."""
