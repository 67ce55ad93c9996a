"""Other ways to do what jaxgp does, to measure what its own way gains."""
