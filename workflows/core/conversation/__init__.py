"""The conversation of a model request: what is sent, and the rules of the providers for it."""
