"""The compiled encoder writes the text of `json.dumps`."""

from __future__ import annotations

import json
from json import encoder as library
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflows.core.text.json.encoder import make_encoder

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


@settings(max_examples=40)
@given(value=VALUES)
def test_the_text_is_that_of_json_dumps(value: Any) -> None:
    for ascii_only in (True, False):
        encode = make_encoder(ensure_ascii=ascii_only)
        assert encode(value) == json.dumps(value, ensure_ascii=ascii_only)


def test_it_works_without_the_compiled_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "c_make_encoder", None)
    value = {"ä": [1, 1.5, None, True, "\ud800"]}
    assert make_encoder()(value) == json.dumps(value)


def test_unknown_values_raise_or_are_converted() -> None:
    with pytest.raises(TypeError):
        make_encoder()(object)
    assert make_encoder(default=lambda _: "converted")([object]) == '["converted"]'
