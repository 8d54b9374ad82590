"""`signalbox check --format github`: a pack's own text is data, and never a workflow command."""

import copy
import json
import re
from types import SimpleNamespace

from signalbox.commands.check_output import as_github
from signalbox.commands.report import Checked
from tests.cli.conftest import PACK
from workflows.core.pack.findings import Finding, Place

ANNOTATION = re.compile(
    r"::(?:error|warning|notice) file=([^:,\n]*),line=\d+,title=([^:,\n]*)::([^\r\n]*)"
)


def annotated(path="a.json", code="XX1", message="m", hint=""):
    """File, title and text of the one annotation that this finding gives."""
    finding = Finding(code=code, level="error", message=message, place=Place(path=path), hint=hint)
    pack = SimpleNamespace(show=lambda shown: shown, location=SimpleNamespace(main=path))
    checked = Checked(pack=pack, profile="p", findings=(finding,), readable=True)
    match = ANNOTATION.fullmatch(as_github([checked]))
    assert match, as_github([checked])
    return match.groups()


def test_a_finding_stays_on_its_line():
    _, _, text = annotated(message="no\n::set-env name=PATH::/tmp\r100%0A", hint="Do\nthis.")
    assert text == "no%0A::set-env name=PATH::/tmp%0D100%250A Do%0Athis."


def test_a_path_and_a_code_cannot_end_their_property():
    path, title, _ = annotated(path="a,line=1::b%\n/x.json", code="A:1,2")
    assert path == "a%2Cline=1%3A%3Ab%25%0A/x.json"
    assert title == "A%3A1%2C2"


def test_colons_and_commas_of_a_sentence_stay():
    assert annotated(message="First: a, b.")[2] == "First: a, b."


def test_every_line_that_is_printed_is_an_annotation(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"]["on_event"] = {"Approve": "no\n::stop-commands::x 100%"}
    path = write("a,line=1,title=b::c%/bad.pack.json", json.dumps(body))
    result = cli("check", path, "--format", "github")
    matches = [ANNOTATION.fullmatch(line) for line in result.out.splitlines()]
    assert result.code == 1
    assert all(matches), result.out
    assert {one[1] for one in matches} == {"a%2Cline=1%2Ctitle=b%3A%3Ac%25/bad.pack.json"}
    assert any("100%25" in one[3] for one in matches)
