"""The ring: one generation as one device program."""
