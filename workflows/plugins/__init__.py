"""Parts of the server that few need. Each package in this folder is one, found by its `PLUGIN`.
Nothing imports it, so its folder can be deleted."""
