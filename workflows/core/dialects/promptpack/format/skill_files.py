"""Skills of a pack: those written in it, and those whose files are in its folder.

A source that is a path names a folder with a `SKILL.md`, a folder of such folders, or one markdown
file. The front matter of the file has `name`, `description` and `allowed-tools`; the rest is the
skill's instructions. Other files of the folder are its resources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import basename, dirname, join, normpath
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Parts, skill_label
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.tolerant import as_list, as_str, as_str_list
from workflows.core.text.yaml.errors import YamlTextError

FILE = "SKILL.md"
INSTALLED = "@"
"""A source that begins with this names an installed copy, which is outside the pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One skill. `path` is relative to the pack's folder, "" for a skill written in the pack;
    `resources` are the files that its instructions may refer to, by their path in its folder."""

    name: str
    description: str
    instructions: str
    path: str = ""
    preload: bool = False
    allowed_tools: tuple[str, ...] = ()
    resources: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableSkill:
    """A skill file that cannot be used, with the reason."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, kw_only=True)
class SkillSet:
    """The skills of one pack. `folder` is the folder of the pack's file."""

    parts: Parts
    files: Mapping[str, bytes]
    folder: str = ""

    @cached_property
    def _loaded(self) -> tuple[dict[str, Skill], dict[int, str], list[UnreadableSkill]]:
        skills: dict[str, Skill] = {}
        missing: dict[int, str] = {}
        unreadable: list[UnreadableSkill] = []
        for index, item in enumerate(as_list(self.parts.tree.get("skills"))):
            inline = _inline(item)
            if inline is not None:
                skills.setdefault(inline.name, inline)
                continue
            label, found = skill_label(item), False
            for path in skill_files(self.files, self.folder, label):
                found = True
                skill = self._read(path, item)
                if isinstance(skill, Skill):
                    skills.setdefault(skill.name, skill)
                else:
                    unreadable.append(skill)
            if label and not found:
                missing[index] = label
        return skills, missing, unreadable

    @property
    def by_name(self) -> dict[str, Skill]:
        """The usable skills. The first of two equal names wins."""
        return self._loaded[0]

    @property
    def missing(self) -> dict[int, str]:
        """The sources without a file in the pack, by their index in the list."""
        return self._loaded[1]

    @property
    def unreadable(self) -> list[UnreadableSkill]:
        return self._loaded[2]

    def _read(self, path: str, item: Any) -> Skill | UnreadableSkill:
        try:
            text = Frontmatter.parse(self.files[path])
            body = text.body.decode("utf-8").strip()
        except YamlTextError as error:
            return UnreadableSkill(path=path, line=error.line, message=error.message)
        except UnicodeDecodeError:
            return UnreadableSkill(path=path, line=1, message="The file is not UTF-8 text.")
        if not body:
            line = text.body_line
            return UnreadableSkill(path=path, line=line, message="The file has no instructions.")
        head: dict[str, Any] = text.head.value if text.head and text.head.value else {}
        own = basename(path) == FILE
        place = dirname(path) if own else path
        name = basename(place) if own else basename(path).rpartition(".")[0]
        tools = head.get("allowed-tools")
        return Skill(
            name=as_str(head.get("name")) or name,
            description=as_str(head.get("description")),
            instructions=body,
            path=place.removeprefix(f"{self.folder}/") if self.folder else place,
            preload=isinstance(item, dict) and item.get("preload") is True,
            allowed_tools=tuple(tools.replace(",", " ").split())
            if isinstance(tools, str)
            else tuple(as_str_list(tools)),
            resources=_beside(self.files, path) if own else {},
        )


def _inline(item: Any) -> Skill | None:
    if not isinstance(item, dict) or not as_str(item.get("name")):
        return None
    if not as_str(item.get("instructions")):
        return None
    return Skill(
        name=item["name"],
        description=as_str(item.get("description")),
        instructions=item["instructions"],
        preload=item.get("preload") is True,
    )


def skill_files(files: Mapping[str, bytes], folder: str, label: str) -> Iterator[str]:
    """The markdown files that a source names, in the order of the pack."""
    base = base_of(folder, label)
    if not base:
        return
    if base in files:
        yield base
        return
    for path in files:
        if path.startswith(f"{base}/") and basename(path) == FILE:
            yield path


def base_of(folder: str, label: str) -> str:
    """The path of a skill source, "" for one outside the pack's folder."""
    if not label or label.startswith((INSTALLED, "/")):
        return ""
    base = normpath(join(folder, label))
    inside = base.startswith(f"{folder}/") if folder else not base.startswith("..")
    return base if inside and base != "." else ""


def paths_of(files: Mapping[str, bytes], folder: str, skills: Any) -> list[str]:
    """Every file of the pack's skill sources: the markdown files and their resources."""
    paths: dict[str, None] = {}
    for item in as_list(skills):
        base = base_of(folder, skill_label(item)) if _inline(item) is None else ""
        if base:
            paths |= {path: None for path in files if path == base or path.startswith(f"{base}/")}
    return list(paths)


def _beside(files: Mapping[str, bytes], path: str) -> dict[str, bytes]:
    """The other files of a skill's folder, without those of skills inside it."""
    base = f"{dirname(path)}/"
    inner = [
        f"{dirname(other)}/"
        for other in files
        if other != path and other.startswith(base) and basename(other) == FILE
    ]
    return {
        other.removeprefix(base): data
        for other, data in files.items()
        if other != path and other.startswith(base) and not other.startswith(tuple(inner))
    }
