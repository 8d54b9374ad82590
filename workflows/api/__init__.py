"""HTTP API, version 1. Views are thin: they read with selectors and write with actions."""
