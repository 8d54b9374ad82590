"""How a pack runs, piece by piece. `program.py` beside this folder puts the pieces together."""
