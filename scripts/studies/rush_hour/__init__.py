"""Studies of Rush Hour: boards that are evolved or drawn, and what evolution costs."""
