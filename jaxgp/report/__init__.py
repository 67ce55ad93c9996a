"""Pictures, tables and pages of a run, and what a run shows while it runs."""
