"""Evolve players of a game: the same as `python -m jaxgp.train`, which says with --help how."""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import envs
from jaxgp.train.command import describe, main, task

__all__ = ["describe", "task"]

if __name__ == "__main__":
    main(envs)
