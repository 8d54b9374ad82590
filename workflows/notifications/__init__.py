"""Hints between threads and processes that something changed, and the partial output of models."""
