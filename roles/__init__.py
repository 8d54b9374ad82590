"""Who does the work: prompt configs, reusable across packs. Knows nothing of workflows."""
