"""Lines of all values at once are those that one asks for singly."""

from __future__ import annotations

from tests.support.checks import each_row
from workflows.core.convert.coverage import leaves
from workflows.core.dialects import dialects
from workflows.core.text.json.document import JsonText
from workflows.core.text.json.value_lines import value_lines

TEXTS = [
    b"7",
    b'\n[1,\r\n 2, {\r"a": [],\n"b":{"c\\n\\u00e4":\n null}}]',
    b'{"a,{": "x\\"]", "":\n {"": [[\n1]]}}',
    '\ufeff{\n  "ä": "\u2028",\n "b": true}'.encode(),
    *(
        data
        for dialect in dialects().values()
        for files in dialect.samples().values()
        for path, data in files.items()
        if path.endswith(".json")
    ),
]


@each_row(TEXTS)
def test_every_value_has_the_line_it_begins_on(data):
    text = JsonText.parse(data)
    lines = value_lines(data)
    pointers = {way[:size] for way, _ in leaves(text.value) for size in range(len(way) + 1)}
    assert set(lines) == pointers
    assert lines == {pointer: text.line(pointer) for pointer in pointers}
