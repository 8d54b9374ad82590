"""Firefox and WebKitGTK as Debian has them, driven by the standard protocols of browsers."""
