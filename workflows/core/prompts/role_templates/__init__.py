"""Role templates: one Markdown file says who an agent is, and its header what it may do.

`header` reads a file, `rights` says what the header's words are worth, `resolve` finds the file
that a name stands for: the pack's own, one stored on the server, one that ships with us.
"""
