"""Evolve players of a game of the project; `--help` says how."""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import envs
from jaxgp.train.command import main

if __name__ == "__main__":
    main(envs)
