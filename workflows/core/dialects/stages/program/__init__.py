"""Execution of a pipeline of stages. The README of the dialect lists its events."""
