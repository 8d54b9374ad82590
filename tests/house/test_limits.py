"""docs/limits.md has the limits that the code has."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.checks import each_row
from workflows.core import limits

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "limits.md").read_text()
ROW = re.compile(r"^\| [^|]+ \| ([\d,.]+) \| `([\w.]+)` \|", re.MULTILINE)
ROWS = [(name, shown) for shown, name in ROW.findall(DOCUMENT)]


def value_of(name: str) -> Any:
    module, _, constant = name.rpartition(".")
    if constant == "seconds":
        return value_of(module).seconds
    return getattr(import_module(module), constant)


@each_row(ROWS)
def test_a_limit_of_the_page_is_that_of_the_code(name: str, shown: str) -> None:
    assert shown == f"{value_of(name):,}"


def test_every_shared_limit_is_on_the_page() -> None:
    names = {f"workflows.core.limits.{name}" for name in vars(limits) if name.isupper()}
    assert names <= dict(ROWS).keys()
