"""One module per command of `signalbox`, imported when it is used: most need no Django."""
