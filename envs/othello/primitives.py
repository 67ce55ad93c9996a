"""What genomes that play Othello would see and do. There are none yet: people and searches play it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """There is nothing to set."""
