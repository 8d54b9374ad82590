"""The folder of packs and vectors that tests read.

`tests/corpus` is shipped: files of our own. `SIGNALBOX_CORPUS` names a larger folder of the same
layout that also holds packs of other projects, which this repository does not contain.
"""

from __future__ import annotations

import os
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[1] / "corpus"
FULL = bool(os.environ.get("SIGNALBOX_CORPUS"))
CORPUS = Path(os.environ["SIGNALBOX_CORPUS"]) if FULL else SHIPPED


def at_least(full: int, shipped: int) -> int:
    """The least number of files or vectors a pass has to see, so that none passes on nothing."""
    return full if FULL else shipped
