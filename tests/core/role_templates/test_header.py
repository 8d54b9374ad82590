"""The header of a template file: the vectors, and what it is worth."""

from __future__ import annotations

import json
from typing import Any

from tests.support.checks import each_row
from tests.support.corpus import CORPUS
from workflows.core.prompts.role_templates.header import Header, read
from workflows.core.prompts.role_templates.names import is_name, name_in, path_of
from workflows.core.prompts.role_templates.permissions import Rights, badges_of, rights_of
from workflows.core.prompts.role_templates.resolve import resolve, resolve_all, shipped

FOLDER = CORPUS / "agent-graph"
VECTORS = json.loads((FOLDER / "vectors/preamble.json").read_text())["vectors"]
FOREIGN = "upstream/"
"""Vectors over files that have no licence and so are not here; the words of their headers are."""


def _file(vector: dict[str, Any]) -> bytes:
    if not vector["file"].startswith(FOREIGN):
        return (FOLDER / vector["file"]).read_bytes()
    keys = [f"{key} = {json.dumps(value)}" for key, value in vector["preamble"].items()]
    return "\n".join(["[template]", *keys, "", "# Somebody"]).encode()


@each_row(VECTORS)
def test_a_header_is_read_as_recommended(vector: dict[str, Any]) -> None:
    found = read(vector["stem"], _file(vector))
    header = found.header
    told = header and {
        "name": header.name,
        "version": header.version,
        "capabilities": list(header.capabilities),
        "constraints": list(header.constraints),
    }
    assert told == vector["preamble"]
    assert found.body_line == vector["body_starts_line"]
    assert [one.code for one in found.diagnostics] == vector["diagnostics"]


@each_row(
    [
        ("[template]\nname = 'x'", []),
        ("  [template]  \nname = 'x'\n\nBody", []),
        ("\n\n[template]\r\nname = 'x'\r\n\r\nBody", []),
        ("[template]\n\nBody", []),
        ("[template]\nversion = true\n", ["bad_type:version"]),
        ("[template]\nname = 1\n", ["bad_type:name"]),
        ("[template]\ncapabilities = [1]\n", ["bad_type:capabilities"]),
        ("[template]\nversion = " + "9" * 6000 + "\n", ["preamble_invalid_toml"]),
        ("[template]\nx = " + "[" * 5000, ["preamble_invalid_toml"]),
        ("[template]\n[template.ui]\na = 1", ["unknown_table:template.ui"]),
        ("# [template]", ["no_preamble"]),
        ("   \n\t\n", ["empty_template"]),
    ]
)
def test_damaged_headers_become_findings(text: str, codes: list[str]) -> None:
    found = read("x", text)
    assert [one.code for one in found.diagnostics] == codes
    assert found.text == text


def test_a_file_that_is_not_text_is_reported_with_its_line() -> None:
    found = read("x", b"one\ntwo \xff\n")
    assert (found.diagnostics[0].code, found.diagnostics[0].line) == ("not_utf8", 2)


def test_the_body_is_the_text_below_the_header() -> None:
    assert read("x", "[template]\nname = 'x'\n\n# Body\u2028still\nEnd\n").body == (
        "# Body\u2028still\nEnd\n"
    )


@each_row([
        ((), (), Rights()),
        (("delegate", "read_repo", "teleport"), (), Rights()),
        (("spawn_nodes",), (), Rights(edge_management="all")),
        (("edge_management_all", "edge_management_self"), (), Rights(edge_management="all")),
        (("edge_management_self",), (), Rights(edge_management="self")),
        (("edit_code", "write_docs", "run_commands"), (), Rights(
            write_code=True, write_docs=True, run_commands=True
        )),
        (("edit_code",), ("no_code_edits",), Rights()),
    ])  # fmt: skip
def test_words_of_a_header_grant_rights(
    capabilities: tuple[str, ...], constraints: tuple[str, ...], rights: Rights
) -> None:
    header = Header(capabilities=capabilities, constraints=constraints)
    assert rights_of(header) == rights
    assert [badge.word for badge in badges_of(header)] == [*capabilities, *constraints]


def test_without_a_header_nothing_is_declared_and_nothing_taken() -> None:
    assert rights_of(None) is None
    assert badges_of(None) == ()


@each_row(["../../secret", "..", "a/b", "a\\b", "", "a.b", "a b", "x\n", "é", "a" * 101, "\x00"])
def test_a_name_that_leads_elsewhere_names_nothing(name: str) -> None:
    assert not is_name(name)
    assert resolve(name, {name: "secret"}, {name: "secret"}) is None
    assert name_in(f"docs/templates/{name}.md") == ""


@each_row(["planner", "code-review_2", "A", "0", "-", "a" * 100])
def test_ordinary_names_are_names(name: str) -> None:
    assert is_name(name)
    assert name_in(path_of(name, "team"), "team") == name


def test_the_pack_goes_before_the_server_and_the_server_before_what_ships() -> None:
    pack, stored = {"planner": "P", "own": "O"}, {"planner": "S", "reviewer": "S", "ours": "S"}
    found = {one.template.name: one for one in resolve_all(pack, stored)}
    assert {name: one.source for name, one in found.items()} == {
        "implementer": "shipped",
        "investigator": "shipped",
        "orchestrator": "shipped",
        "ours": "server",
        "own": "pack",
        "planner": "pack",
        "reviewer": "server",
    }
    assert list(found) == sorted(found)
    assert found["planner"].hides == ("server", "shipped")
    assert found["planner"].template.text == "P"
    assert resolve("nobody", pack, stored) is None


@each_row(sorted(shipped()))
def test_a_shipped_template_is_complete(name: str) -> None:
    found = read(name, shipped()[name])
    assert found.diagnostics == ()
    assert found.header
    assert found.header.name == name
    assert all(badge.meaning for badge in badges_of(found.header))
    assert found.body.startswith("# ")


def test_only_the_shipped_orchestrator_may_change_the_graph() -> None:
    scopes = {name: rights_of(read(name, text).header) for name, text in shipped().items()}
    able = {name for name, rights in scopes.items() if rights and rights.edge_management != "none"}
    writing = {name for name, rights in scopes.items() if rights and rights.write_code}
    assert able == {"orchestrator"}
    assert writing == {"implementer", "orchestrator"}
