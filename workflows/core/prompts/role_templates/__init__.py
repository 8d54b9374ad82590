"""Role templates: Markdown files that describe an agent, each with a header of its permissions.

`header` reads a file, `permissions` derives rights from the header, and `resolve` finds the file of
a name: the pack's own, one stored on the server, or one that ships with Signalbox.
"""
