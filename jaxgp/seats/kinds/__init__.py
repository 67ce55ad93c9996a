"""One file a kind of player; `jaxgp.seats.options` finds them by name."""
