"""HTTP API, version 1. Views only read with selectors and write with actions."""
