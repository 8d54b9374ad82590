"""Roles: prompt configs, reusable across packs. This package does not import workflows."""
