"""Limits of what a database can store: text, integers and search patterns."""
