"""How a validator or an eval measures: the same types serve both (sections 4.13 and 4.14)."""
