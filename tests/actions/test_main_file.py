"""The main file of a pack across edits."""

from __future__ import annotations

import pytest

from workflows.actions import packs
from workflows.core.pack.edits import Connect, RenameState
from workflows.models import Pack

STAGE = """\
---
id: {id}
name: {id}
allowedTools: []
completionTool: submit_{id}
completionSchema: {{ type: object }}
retryPolicy: {{ maxAttempts: 1, backoff: none }}
turnCap: 4
resolutionPolicy: retry-later
---
Do it.
"""


@pytest.mark.django_db
def test_the_pipeline_that_the_first_arrow_makes_names_the_pack() -> None:
    files = {f"stages/{id}.md": STAGE.format(id=id).encode() for id in ("look", "write")}
    (pack,) = packs.import_files(files, owner=None).packs
    assert pack.main == "stages/look.md"
    packs.edit(pack.pk, base=1, edits=[RenameState(id="look", new_id="see")], author=None)
    assert Pack.objects.get(pk=pack.pk).main == "stages/see.md"
    packs.edit(pack.pk, base=2, edits=[Connect(source="see", target="write", label="then")],
               author=None)  # fmt: skip
    assert Pack.objects.get(pk=pack.pk).main == "pipeline.json"
