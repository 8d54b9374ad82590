"""Values, formulas and syntax of scripts."""
