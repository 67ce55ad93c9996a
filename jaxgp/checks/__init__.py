"""Checks of values that no declaration of one option covers: unions of kinds, and single values."""
