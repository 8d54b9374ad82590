"""Lossless reading and editing of YAML text."""
