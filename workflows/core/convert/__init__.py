"""Conversion between dialects through a neutral machine, with a report of what was lost."""
