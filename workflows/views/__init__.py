"""Pages around the canvas. The essentials work without a script: forms that post, links that lead."""
