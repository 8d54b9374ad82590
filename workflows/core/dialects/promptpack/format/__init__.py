"""The format itself: parts of a pack, elements, references and templates."""
