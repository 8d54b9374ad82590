"""Git, without a git program: no hook, no filter, no work tree."""
