"""Driving along a path that was computed before the race: lines and speeds of one track, and who follows them."""
