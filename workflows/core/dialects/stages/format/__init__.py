"""The format itself: stage files, pipeline parts, placeholders and conditions."""
