"""Providers of models: their endpoints, model names and prices."""
