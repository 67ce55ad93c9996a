"""How good drivers are: rollouts of simulations, their figures, and the table of them."""
