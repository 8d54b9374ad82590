"""The format itself: vocabulary, model with defaults, envelopes and tool calls."""
