"""Game-agnostic search, batched, and the memory of fixed opponents."""
