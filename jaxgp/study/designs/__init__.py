"""Designs of experiments: how they are planned, and models that are fitted to what their runs give."""
