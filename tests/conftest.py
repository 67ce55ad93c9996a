"""What holds for all tests."""

import os

# Most tests compile a program to run it once on something small: without optimisation that takes a third less time.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")

import jax

# One device, however many cores the scripts ask for that are tested in this process.
jax.config.update("jax_num_cpu_devices", 1)
