"""Pages around the canvas. The essentials work without a script: forms post, links lead."""
