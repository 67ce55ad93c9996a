"""Tables of simulations."""
