"""Cases: inputs, answers and expectations of a run, kept as files next to the pack."""
