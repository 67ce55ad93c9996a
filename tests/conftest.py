"""What holds for all tests, set before JAX is imported."""

import os

# Most tests compile a program to run it once on something small: without optimisation that takes a third less time.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
