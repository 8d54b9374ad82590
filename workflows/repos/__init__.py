"""Git without a git executable: no hooks, no filters, no work tree."""
