"""Properties of every JSON text, tested with random examples."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.core.text.reference_model import exact, layout, pointers
from workflows.core.text.json.document import JsonText, JsonTextError, pointer_of, pointer_text

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None, exclude_categories=()), max_size=6)
)
KEYS = st.text(st.sampled_from('abé/~0"\\\n\u2028🚦'), max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
STYLES = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 1, 2, 4, "\t"]),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]),
        "ensure_ascii": st.booleans(),
    }
)

unhurried = settings(max_examples=40)  # the machine may be busy


def written(value: Any, style: dict[str, Any]) -> bytes:
    text = json.dumps(value, **style)
    escaped = [f"\\u{ord(sign):04x}" if "\ud800" <= sign <= "\udfff" else sign for sign in text]
    return "".join(escaped).encode()


@unhurried
@given(st.lists(KEYS))
def test_any_keys_make_a_pointer(keys: list[str]) -> None:
    assert pointer_of(pointer_text(keys)) == tuple(keys)


@unhurried
@given(VALUES, VALUES, STYLES)
@example([0.0], [-0.0], {})
@example([True, 1], [1, True], {})
@example({"a": [1, 2]}, {"a": {"0": 1}}, {"indent": 2})
def test_setting_one_value_over_another_gives_it(old: Any, new: Any, style: dict[str, Any]) -> None:
    text = JsonText.parse(written(old, style))
    changed = text.set((), new)
    assert json.dumps(changed.value, sort_keys=True) == json.dumps(new, sort_keys=True)
    fresh = JsonText.parse(changed.data)
    assert exact(fresh.value) == exact(changed.value)
    assert layout(fresh) == layout(changed)
    back = changed.set((), old)
    assert json.dumps(back.value, sort_keys=True) == json.dumps(old, sort_keys=True)
    assert layout(JsonText.parse(back.data)) == layout(back)


@unhurried
@given(VALUES, STYLES, st.data())
def test_a_member_deleted_and_one_inserted_leave_the_rest(
    value: Any, style: dict[str, Any], data: st.DataObject
) -> None:
    text = JsonText.parse(written(value, style))
    places = [each for each in pointers(text) if each]
    if not places:
        return
    pointer = data.draw(st.sampled_from(places))
    gone = text.delete(pointer)
    size = len(text.get(pointer[:-1]))
    assert len(gone.get(pointer[:-1])) == size - 1
    index = data.draw(st.integers(0, size - 1))
    new = gone.insert(pointer, data.draw(VALUES), index=index)
    assert len(new.get(pointer[:-1])) == size
    assert layout(JsonText.parse(new.data)) == layout(new)
    last = pointer[-1] if isinstance(pointer[-1], str) else index
    assert new.delete((*pointer[:-1], last)).data == gone.data


@settings(max_examples=120)
@given(VALUES, STYLES, st.data())
def test_damaged_text_is_refused_exactly_when_the_standard_library_refuses_it(
    value: Any, style: dict[str, Any], data: st.DataObject
) -> None:
    whole = written(value, style)
    at = data.draw(st.integers(0, len(whole)))
    cut = data.draw(st.integers(0, 2))
    noise = data.draw(
        st.sampled_from(
            [b"", b",", b'"', b"\\", b"]", b"}", b"0", b"\x00", b"\xff", b":", b"e", b"/"]
        )
    )
    damaged = whole[:at] + noise + whole[at + cut :]
    try:
        expected = json.loads(damaged.decode("utf-8"), parse_constant=lambda name: 1 / 0)
    except (ValueError, ZeroDivisionError):
        with pytest.raises(JsonTextError) as caught:
            JsonText.parse(damaged)
        assert caught.value.message.endswith(".")
        assert 0 <= caught.value.offset <= len(damaged)
        assert caught.value.line >= 1
        assert caught.value.column >= 1
    else:
        assert exact(JsonText.parse(damaged).value) == exact(expected)
