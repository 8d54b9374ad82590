"""`signalbox open`: the packs of a folder on the canvas, with the folder as the store."""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path

from signalbox.commands import server
from signalbox.commands.errors import Trouble
from workflows.installation import user_data_folder


def run(options: argparse.Namespace) -> int:
    """Serve the folder until stopped. Raises Trouble."""
    folder = Path(options.path).resolve()
    if not folder.is_dir():
        raise Trouble(f"{options.path} is not a folder.", hint="Name the folder with the packs.")
    os.environ.setdefault("SIGNALBOX_DATA", str(folder_data(folder)))
    data = Path(os.environ["SIGNALBOX_DATA"]).resolve()
    if data == folder or folder in data.parents:
        raise Trouble(
            f"The data folder {data} is inside the opened folder.",
            hint="Set SIGNALBOX_DATA to a folder elsewhere.",
        )
    options.folder = folder
    return server.run(options)


def folder_data(folder: Path) -> Path:
    """The user's data folder for one opened folder."""
    key = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return user_data_folder() / "folders" / key
