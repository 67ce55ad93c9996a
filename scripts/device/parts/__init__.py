"""The parts of the proof of a device, one a file; each has `rows`, which yields what it finds."""
