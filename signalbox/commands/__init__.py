"""One module per command of `signalbox`, imported on use: most need no Django."""
