"""What a run leaves on disk: its directory, the record, checkpoints, the champion file."""
