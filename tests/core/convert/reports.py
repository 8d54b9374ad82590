"""Missing and doubled entries in the report of a conversion."""

from __future__ import annotations

import json
from collections import Counter

from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.json.pointer import pointer_of
from workflows.core.text.yaml.errors import YamlTextError


def leaves_of(path, data):
    """Every leaf of a file, found without the help of the code under test."""
    if path.endswith(".json"):
        try:
            yield from walked(json.loads(data), ())
        except ValueError:
            yield ()
        return
    if not path.endswith(".md"):
        yield ()
        return
    try:
        front = Frontmatter.parse(data)
    except YamlTextError:
        yield ("body",)
        return
    if front.head is not None:
        yield from walked(front.head.value, ())
    if front.body:
        yield ("body",)


def walked(value, pointer):
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from walked(item, (*pointer, str(key)))
    else:
        yield pointer


def uncovered(known, report):
    """Leaves that no entry covers."""
    covering = {(told.place.path, plain(told)) for told in report if not told.implied}
    for path, data in known.files.items():
        for leaf in leaves_of(path, data):
            if not any((path, leaf[:size]) in covering for size in range(len(leaf) + 1)):
                yield path, leaf


def plain(told):
    return tuple(map(str, pointer_of(told.place.pointer))) if told.place.pointer else ()


def told_twice(report):
    places = Counter(
        (told.place.path, told.place.pointer)
        for told in report
        if told.fate != "added" and not told.implied
    )
    return [place for place, count in places.items() if count > 1]
