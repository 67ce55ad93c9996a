"""Fitness from decisions that a teacher has judged, and learning from them."""
