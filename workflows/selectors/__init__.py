"""What pages and API read. Nothing here writes."""
