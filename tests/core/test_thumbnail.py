"""Thumbnails: limits of size, valid XML for any name, and the hues and colours of the canvas."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.support.checks import each_row
from tests.support.packs import samples
from workflows.core.dialects import dialects
from workflows.core.pack.kind_hues import hue_of
from workflows.core.pack.thumbnail import MOST_STATES, Arrow, Box, thumbnail, thumbnail_of
from workflows.core.pack.thumbnail_routes import rounded, route
from workflows.core.pack.thumbnail_svg import DARK, LIGHT, thumbnail_svg

SOURCE = Path(__file__).resolve().parents[2] / "frontend_static/src"
MOST_BYTES = 40_000


def rows(*keys: str) -> list[dict[str, Any]]:
    place = dict.fromkeys(("x", "y", "width", "height", "routes"))
    return [
        {"key": key, "kind": "step", "terminal": False, "entry": index == 0, **place}
        for index, key in enumerate(keys)
    ]


def arrows(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [
        {"key": f"{source}|Go|{target}", "source": source, "target": target, "kind": "event"}
        for source, target in pairs
    ]


def chain(count: int) -> str:
    keys = [f"s{number}" for number in range(count)]
    return thumbnail_svg(thumbnail(rows(*keys), arrows(*pairwise(keys)), count))


@each_row([0, 1, 2, 7, 60, 61, 400, 5000])
def test_a_drawing_of_any_size_is_small_and_nearly_as_wide_as_its_place(count: int) -> None:
    drawn = chain(count)
    assert len(drawn) < MOST_BYTES
    *_, width, height = map(float, ElementTree.fromstring(drawn).attrib["viewBox"].split())
    assert 1 < width / height < 6


def test_states_that_are_not_drawn_are_counted() -> None:
    drawing = thumbnail(rows(*(f"s{number}" for number in range(1000))), [], 1000)
    assert (len(drawing.boxes), drawing.more) == (MOST_STATES, 1000 - MOST_STATES)


@each_row(["<a&b>", '"', "\0\x1b", "\ud800", "x" * 500, "日本語"])
def test_any_name_is_valid_xml(key: str) -> None:
    drawn = thumbnail_svg(thumbnail(rows(key), arrows((key, key)), 1))
    root = ElementTree.fromstring(drawn.encode())
    assert root.find(".//{*}text") is not None


def test_arrows_have_heads_and_redirects_are_dashed() -> None:
    ends = [*arrows(("A", "B"), ("B", "A"), ("A", "A"), ("A", "missing"))]
    ends.append({"key": "A|No|B", "source": "A", "target": "B", "kind": "redirect"})
    root = ElementTree.fromstring(thumbnail_svg(thumbnail(rows("A", "B"), ends, 2)))
    paths = [path for path in root.iter("{http://www.w3.org/2000/svg}path")
             if "marker-end" in path.attrib]  # fmt: skip
    assert [path.attrib["class"] for path in paths] == ["a", "a", "a", "a d"]


@each_row([(340.0, True), (341.0, False)])
def test_a_stored_route_is_drawn_while_it_holds(x: float, holds: bool) -> None:
    states = rows("A", "B")
    states[0] |= {"x": 0.0, "y": 0.0}
    states[1] |= {"x": x, "y": 0.0}
    points = [[208.0, 30.0], [250.0, 30.0], [250.0, -400.0], [320.0, -400.0], [340.0, 30.0]]
    route = {"points": points, "label": None}
    route |= {"source": [0.0, 0.0, 208.0, 72.0], "target": [340.0, 0.0, 208.0, 72.0]}
    states[0]["routes"] = {"A|Go|B": route}
    drawing = thumbnail(states, arrows(("A", "B")), 2)
    (arrow,) = drawing.arrows
    assert arrow.points == (tuple((x + 24, y + 424) for x, y in points) if holds else ())
    assert (drawing.height > 400) is holds, "the line is in the picture"


@each_row(
    [
        ((300, 0), [(200, 32), (300, 32)]),
        ((300, 96), [(200, 32), (236, 32), (236, 128), (300, 128)]),
        ((0, 96), [(100, 64), (100, 96)]),
        # The state between them is passed above.
        ((900, 0), [(140, 0), (140, -30), (960, -30), (960, 0)]),
        ((-600, 0), [(80, 64), (80, 94), (-480, 94), (-480, 64)]),
        ((-280, 48), [(0, 16), (-60, 16), (-60, 64), (-80, 64)]),
    ]
)
def test_arrows_are_horizontal_and_vertical_and_cross_no_state(
    target: tuple[float, float], way: list[tuple[float, float]]
) -> None:
    a, b, between = (
        Box(id=id, kind="", terminal=False, entry=False, x=x, y=y)
        for id, (x, y) in (("a", (0, 0)), ("b", target), ("c", (500, 0)))
    )
    found = route(Arrow(source=a, target=b, dashed=False), (a, b, between), 30)
    assert found == way
    assert set(re.findall("[A-Z]", rounded(found, 8))) <= set("MLQ")


def test_every_sample_is_drawn_inside_its_frame() -> None:
    for pack in samples():
        dialect = dialects()[pack.dialect]
        drawing = thumbnail_of(dialect.graph(dialect.read(pack.files), dialect.profiles[0]))
        assert drawing.boxes, pack.name
        for box in drawing.boxes:
            assert 0 <= box.x <= drawing.width - box.width
            assert 0 <= box.y <= drawing.height - box.height


def test_kinds_have_the_hues_of_the_canvas() -> None:
    text = (SOURCE / "ui/stateKinds.ts").read_text()
    listed = re.findall(r"^  (\w+): \{ Icon: \w+, hue: (\d) \}", text, re.MULTILINE)
    assert len(listed) > 30
    assert {kind: hue_of(kind) for kind, _ in listed} == {kind: int(hue) for kind, hue in listed}
    assert hue_of("verification.issue") == hue_of("verification")
    assert {hue_of(f"kind{number}") for number in range(100)} == set(range(1, 9))


def test_colours_of_kinds_are_those_of_the_theme() -> None:
    text = (SOURCE / "theme/tokens.css").read_text()
    theme = re.findall(r"--kind-(\d): light-dark\((#\w+), (#\w+)\);", text)
    assert theme == [(f"{n}", LIGHT[f"k{n}"], DARK[f"k{n}"]) for n in range(1, 9)]
