"""An opened folder: its files are the store of its packs."""
