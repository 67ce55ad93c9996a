"""How good champions are: panels, engines outside, nested searches."""
