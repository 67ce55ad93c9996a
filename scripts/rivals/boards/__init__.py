"""Board games whose starts are drawn, timed."""
