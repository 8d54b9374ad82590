"""Lossless reading and editing of JSON text."""
