"""Mirrors of the record: Weights & Biases, in a process of its own; a CSV file; the event files of TensorBoard."""
