"""Why players move as they do in one position: values of moves, rules that fire, values of the nodes of programs."""
