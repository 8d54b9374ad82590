"""Rules as a table: a pack, and its codes."""

from __future__ import annotations

from typing import Any

from tests.dialects.agent_graph.packs import (
    DIALECT,
    TEAM,
    applied,
    findings_of,
    node,
    pack,
    team,
)
from tests.support.checks import each_row

LEAD = {"id": "a", "role": "orchestrator"}


def nodes(*more: dict[str, Any], **pack_fields: Any) -> Any:
    """A pack of the lead and these, each reached by an edge."""
    edges = [{"from": "a", "to": item["id"]} for item in more if item.get("id")]
    return team(nodes=[LEAD, *more], edges=edges, **pack_fields)


def edge(**fields: Any) -> dict[str, Any]:
    return {"from": "a", "to": "b", **fields}


def roled(role: str, text: str) -> Any:
    """A pack whose second agent plays this role, with a template of this text."""
    source = nodes(node(role=role))
    return pack(source.files["team.agents.json"].decode(), **{role: text})


HEADER = "[template]\nname = '{}'\n{}\n\n# Text\n"

FINE: dict[str, Any] = {
    "two agents": team(),
    "one agent": team(nodes=[LEAD], edges=...),
    "no edges key, one first message": team(
        nodes=[LEAD, node(instructions="Begin.")], edges=...
    ),
    "every mode": nodes(node(), run_mode="INTERACTIVE", global_mode="IMPLEMENTATION"),
    "interactive without a lead": team(
        nodes=[{"id": "a", "role": "planner"}, node()], run_mode="INTERACTIVE"
    ),
    "interactive without a goal": team(goal="", run_mode="INTERACTIVE"),
    "a first message in place of a goal": team(
        goal=..., nodes=[{**LEAD, "instructions": "Go."}, node()]
    ),
    "planning without anybody who writes code": nodes(
        node(role="planner"), node(id="c", role="reviewer"), global_mode="PLANNING"
    ),
    "planning with a lead that only delegates": team(
        nodes=[{**LEAD, "capabilities": {"delegateOnly": True}}, node(role="planner")],
        global_mode="PLANNING",
    ),
    "an entry": team(entry="b"),
    "limits at their ends": team(limits={"nodes": 2, "turns": 1}, stall_threshold=1),
    "empty limits": team(limits={}),
    "an alias that is its own id": nodes(node(alias="b")),
    "an alias that is its own id in another case": nodes(node(alias="B")),
    "two aliases": nodes(node(alias="x"), node(id="c", alias="y")),
    "no aliases, blank": nodes(node(alias=""), node(id="c", alias=" ")),
    "every provider": nodes(
        *(node(id=f"n{at}", provider=name) for at, name in enumerate(
            ["codex", "claude", "gemini", "custom", ""]
        ))
    ),
    "every shipped role": nodes(
        *(node(id=f"n-{role}", role=role) for role in (
            "planner", "implementer", "reviewer", "investigator", "orchestrator"
        ))
    ),
    "a role of the pack's own": roled("scout", HEADER.format("scout", "capabilities = []")),
    "a prompt in place of a missing template": nodes(
        node(role="somebody", customSystemPrompt="You are somebody.")
    ),
    "rights within the template": nodes(
        node(capabilities={"writeCode": True, "edgeManagement": "none"})
    ),
    "less than the template declares": nodes(node(capabilities={"writeCode": False})),
    "rights of a role without a header": roled("scout", "[template]\n\n# Scout"),
    "a lead without approval": team(
        nodes=[{**LEAD, "permissions": {"agentManagementRequiresApproval": False}}, node()]
    ),
    "approval said for somebody else": nodes(
        node(permissions={"agentManagementRequiresApproval": True, "cliPermissionsMode": "gated"})
    ),
    "delegates only, and to somebody": nodes(node(capabilities={"delegateOnly": True})),
    "one edge of each type": team(edges=[edge(), edge(type="report")]),
    "one edge in each direction": team(
        edges=[edge(bidirectional=False), {"from": "b", "to": "a", "bidirectional": False}]
    ),
    "a report to the lead": team(
        edges=[edge(), {"from": "b", "to": "a", "type": "report", "bidirectional": False}]
    ),
    "a report between leads": team(
        nodes=[LEAD, {"id": "b", "role": "orchestrator"}],
        edges=[edge(type="report", bidirectional=False)],
    ),
    "reached over two edges": team(
        nodes=[LEAD, node(), node(id="c")], edges=[edge(), {"from": "b", "to": "c"}]
    ),
    "reached against the arrow of a two-way edge": team(edges=[{"from": "b", "to": "a"}]),
    "ids with blanks and slashes": team(
        nodes=[LEAD, node(id="b c/d|e")], edges=[{"from": "a", "to": "b c/d|e"}]
    ),
    "a shipped template changed": pack(
        team().files["team.agents.json"].decode(),
        implementer=HEADER.format("implementer", "capabilities = ['edit_code']"),
    ),
    "a version as a number": roled("scout", HEADER.format("scout", "version = 2")),
}  # fmt: skip

FINE |= {
    f"an implementer with {field} {value}": nodes(node(capabilities={field: value}))
    for field in ("runCommands", "writeCode", "writeDocs")
    for value in (True, False)
}
FINE |= {
    f"a lead with edgeManagement {scope}": team(
        nodes=[{**LEAD, "capabilities": {"edgeManagement": scope}}, node()]
    )
    for scope in ("none", "self", "all")
}
FINE |= {
    f"{mode} with a stall threshold of {count}": team(run_mode=mode, stall_threshold=count)
    for mode in ("AUTO", "INTERACTIVE")
    for count in (1, 3, 100)
}
FINE |= {
    f"an edge labelled {label!r}": team(edges=[edge(label=label)])
    for label in ("task", "report", "", "Prüfung | Teil 2", "a" * 300)
}
FINE |= {
    f"a template with {what}": roled("scout", text)
    for what, text in {
        "a byte order mark": "\ufeff" + HEADER.format("scout", ""),
        "other line ends": HEADER.format("scout", "").replace("\n", "\r\n"),
        "blank lines first": "\n\n" + HEADER.format("scout", ""),
        "words of its own": HEADER.format("scout", "capabilities = ['teleport']"),
    }.items()
}

FINE |= {
    f"a definition of done of {count}": team(definition_of_done=["It works."] * count)
    for count in (0, 1, 20)
}

WRONG: dict[str, tuple[Any, list[str]]] = {
    "nothing": (pack(""), ["AG101"]),
    "a comma too many": (pack('{"agent_graph": 1,}'), ["AG101"]),
    "a list": (pack("[]"), ["AG102"]),
    "a key twice": (pack(TEAM.replace('"goal"', '"entry": "lead", "goal"', 1)), ["AG103", "AG111"]),
    "half a character": (pack('{"agent_graph": 1, "goal": "\\ud83d"}'), ["AG104"]),
    "no version": (team(agent_graph=...), ["AG105"]),
    "version 2": (team(agent_graph=2), ["AG105"]),
    "version as a text": (team(agent_graph="1"), ["AG105"]),
    "version true": (team(agent_graph=True), ["AG105"]),
    "no list of agents": (team(nodes=..., edges=...), ["AG110", "AG401"]),
    "no role": (nodes({"id": "b"}), ["AG110"]),
    "no id": (team(nodes=[LEAD, {"role": "planner"}], edges=[]), ["AG110"]),
    "no end": (team(nodes=[LEAD], edges=[{"from": "a"}]), ["AG110"]),
    "unknown keys": (nodes(node(colour="red"), own=1), ["AG111"]),
    "agents as an object": (team(nodes={}, edges=...), ["AG112", "AG401"]),
    "an agent as a text": (team(nodes=[LEAD, "b"], edges=[]), ["AG112"]),
    "a label as a number": (nodes(node(label=1)), ["AG112"]),
    "rights as a text": (nodes(node(capabilities="all")), ["AG112"]),
    "a run mode of no kind": (team(run_mode="auto"), ["AG113"]),
    "an edge of no type": (team(edges=[edge(type="chat")]), ["AG113"]),
    "a scope of no kind": (nodes(node(capabilities={"edgeManagement": "some"})), ["AG113"]),
    "never stalls": (team(stall_threshold=0), ["AG114"]),
    "no turns": (team(limits={"turns": -1}), ["AG114"]),
    "half a turn": (team(limits={"turns": 1.5}), ["AG112"]),
    "an empty id": (team(nodes=[LEAD, node(id="")], edges=[]), ["AG114"]),
    "one id twice": (team(nodes=[LEAD, node(), node()]), ["AG201"]),
    "one alias twice": (nodes(node(alias="x"), node(id="c", alias="X")), ["AG202"]),
    "an alias that is another's id": (nodes(node(alias="A")), ["AG202"]),
    "a provider nobody knows": (nodes(node(provider="Claude")), ["AG203"]),
    "a role that leads out": (nodes(node(role="../../secret")), ["AG204"]),
    "a role with a blank": (team(nodes=[{"id": "a", "role": " Orchestrator "}, node()]), [
        "AG204"
    ]),
    "a blank prompt": (nodes(node(customSystemPrompt=" \n")), ["AG205"]),
    "a role without a template": (nodes(node(role="wizard")), ["AG206"]),
    "a role in another case": (nodes(node(role="Planner")), ["AG206"]),
    "a reviewer that writes code": (
        nodes(node(role="reviewer", capabilities={"writeCode": True})), ["AG207"]
    ),
    "an implementer that changes the graph": (
        nodes(node(capabilities={"edgeManagement": "all"})), ["AG207"]
    ),
    "approval switched off": (
        nodes(node(permissions={"agentManagementRequiresApproval": False})), ["AG208"]
    ),
    "an implementer in PLANNING": (nodes(node(), global_mode="PLANNING"), ["AG209"]),
    "delegates to nobody": (
        team(
            nodes=[LEAD, node(capabilities={"delegateOnly": True})],
            edges=[edge(bidirectional=False)],
        ),
        ["AG210"],
    ),
    "an edge to nobody": (team(edges=[edge(), edge(to="c")]), ["AG301"]),
    "an edge from nobody": (team(edges=[edge(), {"from": "c", "to": "b"}]), ["AG301"]),
    "an edge to an alias": (
        team(nodes=[LEAD, node(alias="x")], edges=[edge(), edge(to="x")]), ["AG301"]
    ),
    "an edge twice": (team(edges=[edge(), edge(label="again")]), ["AG302"]),
    "an edge from either end": (team(edges=[edge(), {"from": "b", "to": "a"}]), ["AG302"]),
    "a loop": (team(edges=[edge(), edge(to="a")]), ["AG303"]),
    "a report from the lead": (
        team(edges=[edge(type="report", bidirectional=False)]), ["AG304"]
    ),
    "no agents": (team(nodes=[], edges=[]), ["AG401"]),
    "an entry that is nobody": (team(entry="c"), ["AG402"]),
    "an entry by alias": (nodes(node(alias="x"), entry="x"), ["AG402"]),
    "nobody leads": (team(nodes=[{"id": "a", "role": "planner"}, node()]), ["AG403"]),
    "nobody reaches it": (team(edges=[]), ["AG404"]),
    "only it reaches others": (
        team(edges=[{"from": "b", "to": "a", "bidirectional": False}]), ["AG404"]
    ),
    "more agents than allowed": (team(limits={"nodes": 1}), ["AG405"]),
    "nothing to do": (team(goal=" "), ["AG406"]),
    "a header that is no TOML": (roled("scout", "[template]\nname = scout\n\nx"), ["AG501"]),
    "a header with a slip": (roled("scout", HEADER.format("other", "")), ["AG502"]),
    "a misspelled word": (
        roled("scout", HEADER.format("scout", 'capabilities = ["edit_cod"]')), ["AG502"]
    ),
    "an empty template": (roled("scout", ""), ["AG502"]),
    "no header": (roled("scout", "# Scout"), ["AG503"]),
    "a template nobody can name": (roled("a.b", "# Scout"), ["AG204", "AG504"]),
}  # fmt: skip


@each_row(FINE)
def test_a_good_pack_has_no_findings(name: str) -> None:
    assert [(one.code, one.message) for one in findings_of(FINE[name])] == []


@each_row(WRONG.values())
def test_a_wrong_pack(source: Any, codes: list[str]) -> None:
    findings = findings_of(source)
    assert sorted({finding.code for finding in findings}) == codes
    for finding in findings:
        assert finding.message.endswith(".")
        assert len(finding.message) <= 240
        assert finding.place.line >= 1
        assert finding.place.path in source.files or not source.readable
        if finding.fix is not None and source.readable:
            after = applied(source, *finding.fix.edits)
            left = [(one.code, one.message) for one in findings_of(after)]
            assert (finding.code, finding.message) not in left


def test_every_rule_is_shown_by_a_row() -> None:
    shown = {code for _, codes in WRONG.values() for code in codes}
    assert shown == {rule.code for rule in DIALECT.rules()}


def test_more_is_fine_than_wrong() -> None:
    assert len(FINE) > len(WRONG)
