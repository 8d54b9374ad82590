"""Tools with which coding agents and the assistant read packs, try edits and make them. A tool is
declared once; `packs.Packs` is where its packs are: a folder of files, or this server with one
user's rights."""
