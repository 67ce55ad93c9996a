"""Studies of FreeCell: searches that no genome steers."""
