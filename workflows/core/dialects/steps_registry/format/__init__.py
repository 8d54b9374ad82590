"""The format itself: vocabulary, steps, validators and prompt paths."""
