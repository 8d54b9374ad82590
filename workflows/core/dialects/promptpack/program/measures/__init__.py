"""Measurements of evals and validators."""
