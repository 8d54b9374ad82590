"""Conversion of a stage object to a markdown file, with default values for missing keys (stages.md
section 3.5). Each default has a comment until the author confirms it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import lru_cache
from posixpath import dirname, join, splitext
from typing import Any

from workflows.core.dialects.stages.format.stage_file import OBJECT_KEYS, REQUIRED, StageFile
from workflows.core.dialects.stages.format.templates import convert_references
from workflows.core.text.ascii_names import ascii_letters
from workflows.core.text.yaml.document import YamlText

DEFAULT_MARK = "# made up: confirm it by removing this comment, or change it"  # prose: off
"""The comment is stored in authors' files, so its wording stays."""
KEBAB = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
KEBAB_RULE = "Use lowercase letters, digits and single hyphens, and start with a letter."
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")


def title_of(id: str) -> str:
    """A display name: `review-tests` and `ReviewTests` become `Review Tests`."""
    words = [word for word in _BOUNDARY.split(id) if word]
    return " ".join(word[:1].upper() + word[1:] for word in words) or "Stage"


def kebab(id: str, taken: Collection[str] = ()) -> str:
    """The id in kebab-case, different from those in `taken`."""
    words = [word.lower() for word in _BOUNDARY.split(ascii_letters(id)) if word]
    plain = "-".join(words).strip("-")
    plain = plain if KEBAB.match(plain) else f"stage-{plain}".rstrip("-")
    free, number = plain, 1
    while free in taken:
        number += 1
        free = f"{plain}-{number}"
    return free


def default_values(id: str) -> dict[str, Any]:
    """Default values of the required keys that a stage object does not have."""
    return {
        "name": title_of(id),
        "retryPolicy": {"maxAttempts": 1, "backoff": "none"},
        "resolutionPolicy": "retry-later",
    }


def as_markdown(file: StageFile) -> str:
    """A stage object as a markdown file. Every value is kept; placeholders get the syntax of files.
    An absent `allowedTools` stays absent: it means all tools, and `[]` would mean none."""
    return _as_markdown(json.dumps(dict(file.values)), file.body)


@lru_cache(maxsize=512)
def _as_markdown(head: str, body: str) -> str:
    values: dict[str, Any] = json.loads(head)
    defaults = {
        key: value
        for key, value in default_values(str(values.get("id", ""))).items()
        if key not in values
    }
    whole = {**values, **defaults}
    order = [
        *(key for key in REQUIRED if key in whole),
        *(key for key in values if key not in REQUIRED),
    ]
    text = YamlText.parse(b"").set((), {key: whole[key] for key in order}).data.decode("utf-8")
    for key in defaults:
        text = re.sub(rf"^{key}:.*$", lambda line: f"{line[0]}  {DEFAULT_MARK}", text, flags=re.M)
    return f"---\n{text}---\n{convert_references(body)}"


def keys_to_confirm(file: StageFile) -> list[str]:
    """The keys of a stage with an unconfirmed default."""
    if file.front is None or file.front.head is None:
        return []
    head = file.front.head.data
    if DEFAULT_MARK.encode() not in head:
        return []
    lines = head.decode("utf-8", "replace").splitlines()
    return [line.partition(":")[0].strip() for line in lines if line.endswith(DEFAULT_MARK)]


def markdown_path(path: str, taken: Collection[str]) -> str:
    """The path of the markdown file: in the object's folder, with its name."""
    stem = splitext(path)[0].removesuffix(".stage")
    free, number = f"{stem}.md", 1
    while free in taken:
        number += 1
        free = f"{stem}-{number}.md"
    return free


def relative_file(main: str, path: str) -> str:
    """The path of a pack's file relative to the pipeline at `main`."""
    folder = dirname(main)
    if not folder:
        return path
    if path.startswith(f"{folder}/"):
        return path[len(folder) + 1 :]
    return join("/".join(".." for _ in folder.split("/")), path)


def unknown_keys(file: StageFile) -> list[str]:
    """Keys that a stage object may not have (stages.md section 3.5)."""
    return [key for key in file.values if key not in OBJECT_KEYS]
