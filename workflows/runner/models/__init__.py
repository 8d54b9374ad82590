"""Requests to real models of any provider.

Importing the library that implements the providers' protocols takes most of a second, so every
module here imports it only where it is used.
"""
