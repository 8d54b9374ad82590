"""`signalbox mcp`: packs of files for coding agents, over the Model Context Protocol on stdin and
stdout. Tools call the functions of the command line. No model, command or git is run."""
