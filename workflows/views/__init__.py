"""Pages around the canvas. They work without JavaScript, except the canvas itself."""
