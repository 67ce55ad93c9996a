"""Native code: C++ made from functions of JAX, and libraries compiled at their first use."""
