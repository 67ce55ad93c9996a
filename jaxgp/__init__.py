"""jaxgp: evolves game players. The engine; it knows no game (those are in `envs`)."""

__version__ = "0.1.0"
