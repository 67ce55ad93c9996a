"""Tables of documents about single board games."""
