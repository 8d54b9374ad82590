"""Runs that do real work: a real repository, real commands, and a scripted model behind HTTP."""
