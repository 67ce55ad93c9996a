"""The tasks and methods of scripts/studies/suite.py, and how a run of them is measured."""
