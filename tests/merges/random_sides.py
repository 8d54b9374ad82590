"""Random changes of packs, as two people make them: a file of a pack and two versions of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.support.packs import KnownPack
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.json.document import JsonText

Change = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """A file that both sides changed."""

    path: str
    base: bytes
    mine: bytes
    theirs: bytes


def versions(pack: KnownPack, chance: Random) -> Versions | None:
    """One file of a pack with one to three changes of each side, often of the same kind. In one
    of four pairs, one side reformatted the whole file."""
    paths = sorted(path for path in pack.files if _changes(path, pack.files[path], "x", chance))
    if not paths:
        return None
    path = chance.choice(paths)
    base = pack.files[path]
    if path.endswith(".json") and chance.random() < 0.4:
        base = _formatted(base, 2)
    kinds = [kind for kind, _ in _changes(path, base, "x", chance)]
    kind = chance.choice([one for one in kinds if one != "text" or chance.random() < 0.2] or kinds)
    mine, theirs = (_changed(path, base, side, kind, chance) for side in ("ours", "theirs"))
    if path.endswith(".json") and chance.random() < 0.25:
        if chance.random() < 0.5:
            mine = _formatted(mine if chance.random() < 0.5 else base, chance.choice([None, 1, 4]))
        else:
            theirs = _formatted(theirs if chance.random() < 0.5 else base, chance.choice([1, 4]))
    return Versions(path=path, base=base, mine=mine, theirs=theirs)


def _formatted(data: bytes, indent: int | None) -> bytes:
    return (json.dumps(json.loads(data), indent=indent, ensure_ascii=False) + "\n").encode()


def _changed(path: str, base: bytes, side: str, kind: str, chance: Random) -> bytes:
    """A change of this kind, and up to two others."""
    data = base
    for number in range(chance.randint(1, 3)):
        offers = _changes(path, data, f"{side}{number}", chance)
        first = [change for name, change in offers if name == kind and not number]
        data = chance.choice(first or [change for _, change in offers])()
    return data


Offer = tuple[str, Callable[[], bytes]]


def _changes(path: str, data: bytes, name: str, chance: Random) -> list[Offer]:
    try:
        if path.endswith(".json"):
            return list(_of_json(data, name, chance))
        return list(_of_markdown(data, name, chance)) if path.endswith(".md") else []
    except ValueError:
        return []


def _of_json(data: bytes, name: str, chance: Random) -> Iterator[Offer]:
    text = JsonText.parse(data)
    if text.duplicates or not isinstance(text.value, dict):
        return

    def offer(kind: str, at: tuple[str | int, ...], value: Any) -> Offer:
        return kind, lambda: text.insert(at, value).data

    def edit(kind: str, at: tuple[str | int, ...], value: Any) -> Offer:
        return kind, lambda: text.set(at, value).data

    value = text.value
    for key, kind in (("states", "state"), ("prompts", "prompt"), ("steps", "step")):
        for at in ((key,), ("workflow", key)):
            group = text.get(at)
            if (
                isinstance(group, dict)
                and group
                and all(isinstance(g, dict) for g in group.values())
            ):
                yield offer(kind, (*at, name), group[chance.choice(sorted(group))])
                inner = chance.choice(sorted(group))
                for events in ("on_event", "transitions"):
                    table = group[inner].get(events)
                    if isinstance(table, dict) and table:
                        target = table[sorted(table)[0]]
                        yield offer("event", (*at, inner, events, name.title()), target)
                    if isinstance(table, dict) and len(table) > 1:
                        gone = (*at, inner, events, chance.choice(sorted(table)))
                        yield "removal", lambda gone=gone: text.delete(gone).data
    for pointer, here in _places(value, ()):
        if isinstance(here, list) and here and pointer[-1] in ("tools", "allowedIntents", "enum"):
            if all(isinstance(one, str) for one in here) and len(set(here)) == len(here):
                yield offer("tool", (*pointer, "-"), name)
        elif isinstance(here, list) and here and pointer[-1] in ("nodes", "stages"):
            if isinstance(here[0], dict) and all("id" in one for one in here):
                yield offer("stage", (*pointer, "-"), {**chance.choice(here), "id": name})
        elif isinstance(here, list) and here and pointer[-1] == "edges":
            yield offer("transition", (*pointer, "-"), {**chance.choice(here), "label": name})
        elif isinstance(here, str) and pointer[-1] in ("description", "system_template", "goal"):
            lines = here.split("\n")
            at = chance.randrange(len(lines))
            lines[at] = f"{lines[at]} {name}."
            yield edit("text", pointer, "\n".join(lines))


def _places(value: Any, at: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*at, key), inner
        if isinstance(inner, dict | list):
            yield from _places(inner, (*at, key))


def _of_markdown(data: bytes, name: str, chance: Random) -> Iterator[Offer]:
    file = Frontmatter.parse(data)
    if file.head is None or not isinstance(file.head.value, dict) or file.head.duplicates:
        return
    head, value = file.head, file.head.value
    for key in ("allowedTools", "tags"):
        if isinstance(value.get(key), list) and value[key]:
            yield "tool", lambda key=key: file.with_head(head.insert((key, "-"), name)).data
    if not file.body.strip():
        return
    end = b"\r\n" if b"\r\n" in file.body else b"\n"
    lines = file.body.split(end)
    place = chance.choice([n for n, line in enumerate(lines) if line.strip()])

    def said() -> bytes:
        words = [*lines[:place], lines[place] + b" " + name.encode() + b".", *lines[place + 1 :]]
        return file.with_body(end.join(words)).data

    def paragraph() -> bytes:
        more = [*lines[: place + 1], b"", b"Also " + name.encode() + b".", *lines[place + 1 :]]
        return file.with_body(end.join(more)).data

    yield "text", said
    yield "paragraph", paragraph
    if isinstance(value.get("description"), str):
        yield (
            "described",
            lambda: file.with_head(head.set(("description",), f"About {name}")).data,
        )
    yield "field", lambda: file.with_head(head.set((f"x-{name}",), name)).data
