"""A small file with thousands of repeated keys: as many findings as a rule may have."""

from __future__ import annotations

import pytest

from tests.attacks.pack_attacks import START, Tree, promptpack
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.pack.findings import MAX_FINDINGS
from workflows.core.rules.check import check

COUNT = 3_000
JSON = b"{" + b'"a":1,' * COUNT + b'"name":"x"}'
STAGE = b"---\nid: s\n" + b"a: 1\n" * COUNT + b"---\nWork.\n"
PIPELINE = b'{"format":"signalbox.stud-pipeline/1","stages":{"s":{"file":"stages/s.md"}}}'
PACKS: dict[str, tuple[str, Tree, str]] = {
    "promptpack": (
        "promptpack",
        {"p.pack.json": promptpack(START)["p.pack.json"][:-1] + b',"a":1' * COUNT + b"}"},
        "PP103",
    ),
    "agent graph": ("agent_graph", {"team.agents.json": JSON}, "AG103"),
    "registry": ("steps_registry", {"steps_registry.json": JSON}, "SR002"),
    "workflow": ("climpt_workflow", {".agent/workflow.json": JSON}, "CW002"),
    "pipeline": ("stages", {"pipeline.json": JSON}, "ST103"),
    "stage": ("stages", {"pipeline.json": PIPELINE, "stages/s.md": STAGE}, "ST106"),
}


@pytest.mark.parametrize("name", PACKS)
def test_repeated_keys_have_as_many_findings_as_a_rule(name: str) -> None:
    dialect, tree, code = PACKS[name]
    one = dialects()[dialect]
    source = one.read(Files.of(tree))
    assert sum(finding.code == code for finding in source.findings) == MAX_FINDINGS
    findings = check(one, source, one.profiles[0])
    assert sum(finding.code == code for finding in findings) == MAX_FINDINGS


def test_files_share_the_findings_of_repeated_keys() -> None:
    stages = {f"stages/s{number}.md": STAGE[:1_200] + b"---\nWork.\n" for number in range(5)}
    entries = ",".join(f'"s{number}":{{"file":"stages/s{number}.md"}}' for number in range(5))
    pipeline = f'{{"format":"signalbox.stud-pipeline/1","stages":{{{entries}}}}}'.encode()
    one = dialects()["stages"]
    source = one.read(Files.of({"pipeline.json": pipeline, **stages}))
    findings = check(one, source, one.profiles[0])
    assert sum(finding.code == "ST106" for finding in findings) == MAX_FINDINGS
