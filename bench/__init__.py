"""Measurements. Each compares side by side in one run and prints ratios; none passes or fails."""
