"""What stands beside a measurement: the machine, its load and clock, and the limit of what such a machine could do."""
