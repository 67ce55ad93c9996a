"""Games in plain Python, as rivals of the engine: their rules, and what plays them."""
