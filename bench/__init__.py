"""Measurements. Each compares side by side in one run and prints ratios; nothing here passes or fails."""
