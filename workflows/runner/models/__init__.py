"""Asking real models, whoever serves them.

The library that speaks the providers' protocols takes most of a second to import, so every module
here imports it where it is needed and not before.
"""
