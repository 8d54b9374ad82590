"""Answer schemas of steps: references and their resolution."""
