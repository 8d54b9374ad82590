"""The demo page: packs read, checked and rehearsed in a browser, without server or database."""
