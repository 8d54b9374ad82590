"""`python scripts/prose` from the root of the checkout; `--help` lists the options."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])

from scripts.prose.command import main  # noqa: E402

sys.exit(main())
