"""Rehearsals: walking a program without a model, with generated answers."""
