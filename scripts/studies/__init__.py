"""Commands of one game, and what they share: how strong fixed players are, and what time whole games take."""
