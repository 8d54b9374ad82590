"""Parsed packs and the bodies of responses about them, without a database."""
