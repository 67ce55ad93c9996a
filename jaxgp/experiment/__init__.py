"""The host side of a run: configuration, run directory, record, checkpoints, champion files, report."""
