"""Elements that a pack does not have: one wording in every dialect."""

from __future__ import annotations

import pytest

from workflows.core.dialects import dialects
from workflows.core.pack.edits import EditRefused, RenameState, SetField

ELEMENTS = ("state:missing", "transition:missing|x|none", "missing:x", "missing")


@pytest.mark.parametrize("name", sorted(dialects()))
def test_a_missing_element_has_one_wording(name: str) -> None:
    dialect = dialects()[name]
    source = dialect.read(next(iter(dialect.samples().values())))
    for element in ELEMENTS:
        with pytest.raises(EditRefused, match=r"This pack has no .*'.+'\.$") as refused:
            dialect.fields(source, element, dialect.profiles[0])
        assert refused.value.where == element
    for edit in (
        SetField(element="state:missing", field="/name", value="x"),
        RenameState(id="missing", new_id="renamed"),
    ):
        with pytest.raises(EditRefused, match=r"This pack has no .*'missing'\.$"):
            dialect.apply(source, edit)
