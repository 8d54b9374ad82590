"""Edits of scripts: what they write, and that nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.workflow_scripts.scripts import FOLDER, META, of_text, source, vectors
from tests.support.checks import each_row
from workflows.core.dialects.workflow_scripts import DIALECT
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Edit,
    EditRefused,
    Paste,
    RemoveFile,
    RemoveObject,
    RenameObject,
    RenameState,
    SetField,
    UnsetField,
)
from workflows.core.pack.files import Files
from workflows.core.rules.check import check
from workflows.core.text import spans

TEXT = """\
const LIMIT = 40
phase('Read')
const list = await agent(`Read ${args.path}. List files.`, {
  label: 'list files',
  schema: { type: 'object', properties: { files: { type: 'array' } } },
})
for (const file of list.files.slice(0, LIMIT)) {
  await agent("Fix " + file, { label: `fix:${file}`, phase: 'Fix' })
}
await agent('Report.')
"""
SCRIPT = DIALECT.read(
    Files.of(
        {
            "workflow.js": (
                "export const meta = {\n  name: 'demo',\n  description: 'Demo.',\n"
                "  phases: [\n    { title: 'Read' },\n    { title: 'Fix' },\n  ],\n}\n" + TEXT
            ).encode()
        }
    )
)

CHANGES: list[tuple[Edit, str, str]] = [
    (
        SetField(element="pack", field="/description", value='It\'s "new".'),
        "'Demo.'",
        "'It\\'s \"new\".'",
    ),
    (
        SetField(element="pack", field="/whenToUse", value="args: { path }"),
        "    { title: 'Fix' },\n  ],\n",
        "    { title: 'Fix' },\n  ],\n  whenToUse: 'args: { path }',\n",
    ),
    (
        SetField(element="state:list-files", field="/prompt", value="Look at ${args.path} now."),
        "`Read ${args.path}. List files.`",
        "`Look at ${args.path} now.`",
    ),
    (
        SetField(element="state:list-files", field="/model", value="haiku"),
        "{ files: { type: 'array' } } },\n",
        "{ files: { type: 'array' } } },\n  model: 'haiku',\n",
    ),
    (
        SetField(element="state:list-files", field="/schema/properties/files/maxItems", value=20),
        "{ type: 'array' }",
        "{ type: 'array', maxItems: 20 }",
    ),
    (SetField(element="state:fix", field="/label", value="mend:${file}"), "`fix:${", "`mend:${"),
    (
        SetField(element="state:fix", field="/model", value="sonnet"),
        "'Fix' })",
        "'Fix', model: 'sonnet' })",
    ),
    (
        SetField(element="state:report", field="/label", value="end"),
        "'Report.')",
        "'Report.', { label: 'end' })",
    ),
    (SetField(element="limit:LIMIT", field="/value", value=12), "LIMIT = 40", "LIMIT = 12"),
    (RenameState(id="list-files", new_id="list-all-files"), "'list files'", "'list-all-files'"),
    (UnsetField(element="state:fix", field="/phase"), ", phase: 'Fix' }", " }"),
    (
        AddObject(kind="phase", key="Report"),
        "    { title: 'Fix' },\n",
        "    { title: 'Fix' },\n    { title: 'Report' },\n",
    ),
    (RemoveObject(element="phase:Fix"), "    { title: 'Fix' },\n", ""),
    (RenameObject(element="phase:Fix", new_key="Mend"), "'Fix'", "'Mend'"),
]
REFUSED: list[tuple[Edit, str]] = [
    (AddState(id="x"), "are code"),
    (Connect(source="fix", target="report", label="then"), "are code"),
    (Paste(fragment={}), "are code"),
    (SetField(element="state:fix", field="/prompt", value="x"), "is computed"),
    (SetField(element="state:list-files", field="/prompt", value="No path."), "which is code"),
    (SetField(element="state:list-files", field="/model", value=3), "is a text"),
    (SetField(element="state:nobody", field="/model", value="x"), "This pack has no state"),
    (SetField(element="limit:LIMIT", field="/value", value="x"), "whole number"),
    (SetField(element="limit:NOTHING", field="/value", value=1), "There is no constant"),
    (SetField(element="code:1-999999", field="/text", value="x"), "has no bytes"),
    (RenameState(id="fix", new_id="Not an id"), "is no id"),
    (RenameState(id="fix", new_id="report"), "already a state"),
    (RenameObject(element="phase:Fix", new_key="Read"), "already a phase"),
    (AddObject(kind="phase", key="Fix"), "already"),
    (AddObject(kind="tool", key="x"), "no objects"),
    (RemoveObject(element="phase:None"), "declares no phase"),
    (UnsetField(element="state:report", field="/model"), "is not set"),
    (RemoveFile(path="workflow.js"), "cannot be removed"),
]


@each_row(CHANGES)
def test_an_edit_writes_this_text(edit: Edit, old: str, new: str) -> None:
    before = SCRIPT.data.decode()
    after = DIALECT.apply(SCRIPT, edit).files["workflow.js"].decode()
    every = isinstance(edit, RenameObject)
    assert after == before.replace(old, new, -1 if every else 1)
    assert after != before


@each_row([b"\r\n", b"\n"])
def test_line_endings_and_a_byte_order_mark_stay(newline: bytes) -> None:
    data = b"\xef\xbb\xbf" + SCRIPT.data.replace(b"\n", newline)
    script = DIALECT.read(Files.of({"workflow.js": data}))
    edit = SetField(element="state:list-files", field="/model", value="haiku")
    after = DIALECT.apply(script, edit).files["workflow.js"]
    added = b"  model: 'haiku'," + newline
    assert after.replace(added, b"", 1) == data
    assert added in after


@each_row(list(vectors()))
def test_every_field_can_be_set_and_the_change_undone(name: str) -> None:
    script = source(FOLDER / "own" / name)
    for id in script.states:
        form = DIALECT.fields(script, f"state:{id}", "claude-code")
        properties: Any = form.schema["properties"]
        for key in ("label", "model", "effort", "prompt"):
            value = str(form.values.get(key) or "low") + " and more"
            value = "low" if key == "effort" else value
            if key not in properties or properties[key].get("readOnly"):
                continue
            edit = SetField(element=f"state:{id}", field=f"/{key}", value=value)
            after = DIALECT.apply(script, edit)
            changes = spans.difference(script.data, after.data)
            assert spans.apply(after.data, spans.inverse(script.data, changes)) == script.data
            assert not after.root.has_error
            shown = [DIALECT.fields(after, f"state:{one}", "claude-code") for one in after.states]
            assert any(one.values.get(key) == value for one in shown), (id, key)


@each_row(list(vectors()))
def test_a_fix_removes_its_finding(name: str) -> None:
    script = source(FOLDER / "own" / name)
    for finding in check(DIALECT, script, "claude-code"):
        after = script
        for edit in finding.fix.edits if finding.fix else ():
            after = DIALECT.apply(after, edit)
        if after is not script:
            assert not after.root.has_error, finding
            left = [(one.code, one.message) for one in check(DIALECT, after, "claude-code")]
            before = [(one.code, one.message) for one in check(DIALECT, script, "claude-code")]
            mine = (finding.code, finding.message)
            moved = finding.code == "WS305"  # The next reading is reported then.
            assert left.count(mine) < before.count(mine) or moved, finding


def test_a_helper_has_the_label_of_its_use() -> None:
    script = of_text(
        "const ask = (role) => agent('Read.', { label: role, model: 'haiku' })\n"
        "await ask('first reader')\nawait ask('second reader')\n"
    )
    edit = SetField(element="state:second-reader", field="/label", value="last reader")
    after = DIALECT.apply(script, edit).files["workflow.js"].decode()
    assert after == (META + "").join(["", script.data.decode()[len(META) :]]).replace(
        "'second reader'", "'last reader'"
    )


def test_a_text_that_is_no_script_takes_only_text() -> None:
    script = DIALECT.read(Files.of({"workflow.js": b"hello"}))
    assert not script.readable
    with pytest.raises(EditRefused, match="only its text"):
        DIALECT.apply(script, SetField(element="pack", field="/name", value="x"))
