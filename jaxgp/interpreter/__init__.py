"""Evaluates linear programs: `plan.plan` once per generation, `evaluate.evaluate` as often as the games ask."""
