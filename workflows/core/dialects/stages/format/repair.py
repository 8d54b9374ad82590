"""Stages made whole: a stage object as a markdown file, and words for what was never said
(stages.md section 3.5). What a conversion has to make up carries a mark until somebody confirms it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import lru_cache
from posixpath import dirname, join, splitext
from typing import Any

from workflows.core.dialects.stages.format.stage_file import OBJECT_KEYS, REQUIRED, StageFile
from workflows.core.dialects.stages.format.templates import convert_references
from workflows.core.text.yaml.document import YamlText

DEFAULT_MARK = "# made up: confirm it by removing this comment, or change it"
KEBAB = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")


def title_of(id: str) -> str:
    """A name for people: `review-tests` and `ReviewTests` are `Review Tests`."""
    words = [word for word in _BOUNDARY.split(id) if word]
    return " ".join(word[:1].upper() + word[1:] for word in words) or "Stage"


def kebab(id: str, taken: Collection[str] = ()) -> str:
    """The id in the form that stage files ask for, unlike those that are `taken`."""
    words = [word.lower() for word in _BOUNDARY.split(id) if word.isascii() and word]
    plain = "-".join(words).strip("-")
    plain = plain if KEBAB.match(plain) else f"stage-{plain}".rstrip("-")
    free, number = plain, 1
    while free in taken:
        number += 1
        free = f"{plain}-{number}"
    return free


def default_values(id: str) -> dict[str, Any]:
    """What stands in for the required keys that a stage object does not have."""
    return {
        "name": title_of(id),
        "retryPolicy": {"maxAttempts": 1, "backoff": "none"},
        "resolutionPolicy": "retry-later",
    }


def as_markdown(file: StageFile) -> str:
    """The markdown file that a stage object amounts to. Every value stays; the body names fields as
    files do. An absent `allowedTools` stays absent: it means all tools, and `[]` would mean none.
    """
    return _as_markdown(json.dumps(dict(file.values)), file.body)


@lru_cache(maxsize=512)
def _as_markdown(head: str, body: str) -> str:
    values: dict[str, Any] = json.loads(head)
    made_up = {
        key: value
        for key, value in default_values(str(values.get("id", ""))).items()
        if key not in values
    }
    whole = {**values, **made_up}
    order = [
        *(key for key in REQUIRED if key in whole),
        *(key for key in values if key not in REQUIRED),
    ]
    text = YamlText.parse(b"").set((), {key: whole[key] for key in order}).data.decode("utf-8")
    for key in made_up:
        text = re.sub(rf"^{key}:.*$", lambda line: f"{line[0]}  {DEFAULT_MARK}", text, flags=re.M)
    return f"---\n{text}---\n{convert_references(body)}"


def keys_to_confirm(file: StageFile) -> list[str]:
    """The keys of a stage whose value is still made up."""
    if file.front is None or file.front.head is None:
        return []
    lines = file.front.head.data.decode("utf-8", "replace").splitlines()
    return [line.partition(":")[0].strip() for line in lines if line.endswith(DEFAULT_MARK)]


def markdown_path(path: str, taken: Collection[str]) -> str:
    """Where the markdown file goes: beside the object, under its name."""
    stem = splitext(path)[0].removesuffix(".stage")
    free, number = f"{stem}.md", 1
    while free in taken:
        number += 1
        free = f"{stem}-{number}.md"
    return free


def relative_file(main: str, path: str) -> str:
    """How the pipeline at `main` names a file of the pack."""
    folder = dirname(main)
    if not folder:
        return path
    if path.startswith(f"{folder}/"):
        return path[len(folder) + 1 :]
    return join("/".join(".." for _ in folder.split("/")), path)


def unknown_keys(file: StageFile) -> list[str]:
    """Keys that a stage object may not have (stages.md section 3.5)."""
    return [key for key in file.values if key not in OBJECT_KEYS]
