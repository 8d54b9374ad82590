"""Mutated packs and archives through every pure operation: no exception, no lost byte."""
