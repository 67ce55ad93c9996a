"""Studies of the page."""
