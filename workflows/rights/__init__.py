"""Rights: the table of operations, levels on objects, and the check of requests."""
