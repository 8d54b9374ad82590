"""Names outside ASCII lose no letter where a format allows only ASCII."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workflows.core.convert.neutral import slug, spelled_as, title, word
from workflows.core.dialects.promptpack.edits.common import new_prompt
from workflows.core.dialects.promptpack.rules.workflow import pascal_case
from workflows.core.dialects.stages.format.repair import kebab
from workflows.core.dialects.steps_registry.edits.states import edition_of, slug_of
from workflows.core.pack.relocation import file_name_of
from workflows.core.text.ascii_names import ascii_letters

VECTORS = Path(__file__).parents[2] / "vectors" / "ascii_letters.json"


def test_the_table_of_the_canvas_holds() -> None:
    table = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert {text: ascii_letters(text) for text in table} == table


def test_every_letter_of_unicode_keeps_something() -> None:
    lost = [chr(code) for code in range(0x370, 0x30000) if chr(code).isalpha()]
    assert [letter for letter in lost if not ascii_letters(letter)] == []
    assert all(ascii_letters(letter).isascii() for letter in lost)


MAKERS = {
    "conversion": slug,
    "placeholder": word,
    "prompt": lambda name: new_prompt(name)["id"],
    "event": pascal_case,
    "stage": kebab,
    "folder of prompts": slug_of,
    "edition": edition_of,
    "file": file_name_of,
}
ROWS = {
    "Überlegt": "uberlegt",
    "承認": "u627fu8a8d",
    "Größe prüfen": "grosseprufen",
    "Проверка": "proverka",
}


@pytest.mark.parametrize("maker", MAKERS)
def test_no_maker_of_names_loses_a_letter(maker: str) -> None:
    made = {name: MAKERS[maker](name) for name in ROWS}
    bare = {name: made[name].replace("-", "").replace("_", "").lower() for name in ROWS}
    letters = "uminfuoaod" if maker == "folder of prompts" else ROWS["承認"]
    assert bare == {**ROWS, "承認": letters}


def test_headings_and_comparisons_keep_the_letters_themselves() -> None:
    assert title("Größe_prüfen") == "Größe prüfen"
    assert spelled_as("承認", ["却下", "web-fetch"]) == "承認"
    assert spelled_as("WebFetch", ["却下", "web-fetch"]) == "web-fetch"
