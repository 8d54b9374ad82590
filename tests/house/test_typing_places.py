"""Every component with a place to type keeps its text until it is stored, or the page asks before
it is left. `browser/test_typed_text.py` crosses the ways to keep a text with the ends of a page;
here each component is found by its source, so that a new one is part of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "frontend_static/src"
FIELD = re.compile(r"<(?:input|textarea|Code)\b(?:[^>]|=>)*?/?>")
NOT_TYPED = re.compile(r'type="(?:checkbox|radio|range|file|hidden|search|color)"')
KEEPS = re.compile(r"\b(?:useDraft|useKept|useAsked|keepTyped)\b|beforeunload")
IMPORT = re.compile(r'from "(\.[^"]+)"|import\("(\.[^"]+)"\)')
NOTHING_TO_KEEP = {
    "canvas/gestures/add/QuickAdd.tsx": "a search",
    "canvas/gestures/search/index.tsx": "a search",
    "demo/Demo.tsx": "the text or address of a pack that its author has",
    "panels/drawer/FindView.tsx": "a search, and what would replace its matches",
    "panels/roleBinding/BindDialog.tsx": "a search",
    "run/rehearsal/Coverage.tsx": "the numbers of a rehearsal",
}


TEXTS = {path: path.read_text() for path in SOURCE.rglob("*.ts*") if ".test." not in path.name}


def imported(path: Path) -> set[Path]:
    names = [one or other for one, other in IMPORT.findall(TEXTS[path])]
    places = [os.path.normpath(path.parent / name) for name in names]
    return {Path(f"{place}{ext}") for place in places for ext in (".ts", ".tsx")} & TEXTS.keys()


IMPORTED = {path: imported(path) for path in TEXTS}


def keeps(path: Path) -> bool:
    """It keeps its text, itself or by a hook or store that it imports."""
    hooks = [one for one in IMPORTED[path] if one.suffix == ".ts"]
    return any(KEEPS.search(TEXTS[one]) for one in (path, *hooks))


def is_kept(path: Path) -> bool:
    """The text is kept by the component, or by each component that shows it."""
    users = [one for one in TEXTS if path in IMPORTED[one]]
    return keeps(path) or (bool(users) and all(map(is_kept, users)))


def test_every_place_to_type_keeps_its_text_or_asks() -> None:
    typed = {
        path
        for path, text in TEXTS.items()
        if any(not NOT_TYPED.search(one) for one in FIELD.findall(text))
    }
    assert len(typed) > 40
    lost = {one.relative_to(SOURCE).as_posix() for one in typed if not is_kept(one)}
    assert lost == set(NOTHING_TO_KEEP)
