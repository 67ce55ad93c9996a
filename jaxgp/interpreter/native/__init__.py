"""The interpreter in C++, for CPUs: compiled at first use where there is a compiler, with the values of plain XLA."""
