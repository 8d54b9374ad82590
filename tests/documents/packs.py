"""The examples of the document about PromptPack, each completed to a pack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tests.documents.example import Arrow, Completed, Example
from tests.documents.quotes import after, member_after

DOCUMENT = "promptpack"
Tree = dict[str, Any]


def prompt(id: str, template: str = "", **more: Any) -> Tree:
    """A prompt with its required keys."""
    return {
        "id": id,
        "name": id.title(),
        "version": "1.0.0",
        "system_template": template or f"You do {id}.",
        **more,
    }


def pack(
    prompts: Mapping[str, Tree],
    states: Mapping[str, Tree],
    arrows: Iterable[Arrow],
    walk: Iterable[str],
    replies: Iterable[Tree],
    *,
    files: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | None = None,
    engine: Tree | None = None,
    **more: Any,
) -> Completed:
    """A pack with a workflow. Each state without a prompt_task runs the prompt of its name. Agents
    are drawn on a level of their own: they and the workflow are independent."""
    members = more.get("agents", {}).get("members", {})
    workflow: Tree = {
        "version": 1,
        "entry": next(iter(states)),
        "states": {id: {"prompt_task": id, **state} for id, state in states.items()},
    }
    main = {
        "id": "example",
        "name": "Example",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": dict(prompts),
        "workflow": workflow | ({"engine": engine} if engine else {}),
        **more,
    }
    return Completed(
        files={"example.pack.json": main, **(files or {})},
        path="example.pack.json",
        states=frozenset((*states, *(f"agents/{key}" for key in members))),
        transitions=frozenset(arrows),
        walk=tuple(walk),
        replies=tuple(replies),
        inputs=inputs or {},
    )


def apart(
    prompts: Mapping[str, Tree],
    arrows: Iterable[Arrow],
    walk: Iterable[str],
    replies: Iterable[Tree],
    *,
    inputs: Mapping[str, str] | None = None,
    **more: Any,
) -> Completed:
    """A pack without a workflow."""
    whole = pack(prompts, {"none": {}}, arrows, walk, replies, inputs=inputs, **more)
    main = {key: value for key, value in whole.files[whole.path].items() if key != "workflow"}
    return replace(whole, files={whole.path: main}, states=frozenset(prompts))


def single(**more: Any) -> Completed:
    """A pack with one prompt in one state."""
    asked = more.pop("prompt", prompt("support"))
    reply = more.pop("reply", '{"answer": "Yes."}')
    return pack({"support": asked}, {"support": {}}, [], ["support"], [{"text": reply}], **more)


def fires(event: str) -> Tree:
    return {"event": event}


def evals() -> Completed:
    """The two evals of the document."""
    return single(evals=member_after(DOCUMENT, "(e.g., 0.8, 4, 0.95)."))


def eval_fields() -> Completed:
    """Every trigger that the table lists, a condition, groups and each operator of a threshold."""
    listed = after(DOCUMENT, "When this eval fires. Schema is open")
    triggers = re.findall(r'"(\w+)"', listed[: listed.index("description")])
    assert len(triggers) == 6
    when = [{"has_variable": "customer_tier"}, {"turn_count_gte": 3}]
    operators = ["gte", "lte", "gt", "lt", "eq"]
    return single(
        evals=[
            {
                "id": f"check-{number}",
                "type": "json_valid",
                "trigger": trigger,
                "when": when[number % 2],
                "groups": ["quality", "tone"],
                "message": "Not JSON.",
                "threshold": {"operator": operators[number % 5], "value": 0.8},
            }
            for number, trigger in enumerate(triggers)
        ]
    )


def open_types() -> Completed:
    """Types and triggers of a runtime's own: the schema is open for both."""
    return single(
        evals=[{"id": "own", "type": "house_style", "trigger": "on_release"}],
        prompt=prompt("support", validators=[{"type": "house_style"}]),
    )


def validators() -> Completed:
    """Every type that the table names as an example."""
    listed = after(DOCUMENT, "Not an enum — runtimes define and register their own types.")
    types = re.findall(r'"(\w+)"', listed[: listed.index("enabled")])
    assert types[0] == "banned_words"
    params: Mapping[str, Tree] = {
        "banned_words": {"words": ["damn"]},
        "max_length": {"max_characters": 900},
        "length": {"max_characters": 900},
        "max_sentences": {"max": 9},
        "regex_match": {"pattern": "Yes"},
    }
    return single(
        prompt=prompt(
            "support",
            validators=[
                {
                    "type": type,
                    "enabled": True,
                    "message": "Response is blocked",
                    **({"params": params[type]} if type in params else {}),
                }
                for type in types
            ],
        )
    )


def fragments() -> Completed:
    """The fragments of the document in a prompt."""
    quoted = member_after(DOCUMENT, "They are simple string values keyed by name.")
    text = "".join("{{fragments." + name + "}}\n" for name in quoted)
    names = re.findall(r"\{\{(\w+)\}\}", "".join(quoted.values()))
    assert names == ["customer_name", "account_type"]
    variables = [{"name": name, "type": "string", "required": True} for name in names]
    return single(
        prompt=prompt("support", text, variables=variables),
        fragments=quoted,
        inputs={"customer_name": "Ada", "account_type": "plus"},
    )


def artifacts() -> Completed:
    """The artifacts of the document in a loop with caps and a budget."""
    quoted = member_after(DOCUMENT, "accumulates content across visits (e.g., a log).")
    text = "Go on from {{artifacts.commit_sha}} and {{artifacts.iteration_log}}."
    return pack(
        {
            "implement": prompt("implement", text),
            "review": prompt("review"),
            "ship": prompt("ship"),
        },
        {
            "implement": {
                "on_event": {"Done": "review"},
                "max_visits": 5,
                "on_max_visits": "ship",
                "artifacts": quoted,
            },
            "review": {"on_event": {"Again": "implement", "Ship": "ship"}},
            "ship": {"terminal": True},
        },
        [
            ("implement", "Done", "review"),
            ("implement", "on_max_visits", "ship"),
            ("review", "Again", "implement"),
            ("review", "Ship", "ship"),
        ],
        ["implement", "review", "implement", "review", "ship"],
        [*(fires(name) for name in ("Done", "Again", "Done", "Ship")), {"text": "Fine."}],
        engine={"budget": {"max_total_visits": 20, "max_tool_calls": 50, "max_wall_time_sec": 600}},
    )


def loop() -> Completed:
    """A review loop with a cap for each state and a redirect."""
    return pack(
        {name: prompt(name) for name in ("implement", "review", "ship")},
        {
            "implement": {
                "on_event": {"Done": "review"},
                "max_visits": 2,
                "on_max_visits": "ship",
                "persistence": "persistent",
            },
            "review": {
                "on_event": {"Reject": "implement", "Approve": "ship"},
                "persistence": "transient",
            },
            "ship": {"terminal": True, "description": "The end."},
        },
        [
            ("implement", "Done", "review"),
            ("implement", "on_max_visits", "ship"),
            ("review", "Reject", "implement"),
            ("review", "Approve", "ship"),
        ],
        ["implement", "review", "implement", "review", "ship"],
        [*(fires(name) for name in ("Done", "Reject", "Done", "Reject")), {"text": "Shipped."}],
    )


def orchestration() -> Completed:
    """A state of each orchestration; the last one omits on_event."""
    return pack(
        {name: prompt(name) for name in ("first", "second", "last")},
        {
            "first": {"on_event": {"Go": "second"}, "orchestration": "internal"},
            "second": {"on_event": {"Go": "last"}, "orchestration": "hybrid"},
            "last": {"on_event": {}, "orchestration": "internal"},
        },
        [("first", "Go", "second"), ("second", "Go", "last")],
        ["first", "second", "last"],
        [fires("Go"), fires("Go"), {"text": "Done."}],
    )


def agents() -> Completed:
    """The agents of the document, together with a workflow."""

    quoted = member_after(DOCUMENT, 'can produce as output. Defaults to ["text/plain"].')
    return pack(
        {name: prompt(name) for name in quoted["members"]},
        {
            "triage": {"on_event": {"Billing": "billing", "Technical": "technical"}},
            "billing": {"terminal": True},
            "technical": {"terminal": True},
        },
        [("triage", "Billing", "billing"), ("triage", "Technical", "technical")],
        ["triage", "billing"],
        [fires("Billing"), {"text": "Paid."}],
        agents=quoted,
    )


def agents_alone() -> Completed:
    """The agents of the document without a workflow: the entry asks one of the others."""
    quoted = member_after(DOCUMENT, 'can produce as output. Defaults to ["text/plain"].')
    listed = [name for name in quoted["members"] if name != quoted["entry"]]
    prompts = {name: prompt(name) for name in quoted["members"]}
    prompts["triage"] = prompt("triage", tools=listed)
    call = {"name": "a2a__billing", "arguments": {"query": "Is it paid?"}}
    return apart(
        prompts,
        [("triage", name, name) for name in listed],
        ["triage", "billing", "triage"],
        [{"tool_calls": [call]}, {"text": "It is paid."}, {"text": "Your bill is paid."}],
        agents=quoted,
    )


def prompts_alone() -> Completed:
    """The keyed map of prompts of the document, without a workflow: a run chooses one."""
    keys = re.findall(r'like "(\w+)" or "(\w+)"', after(DOCUMENT, "prompts maps task type"))[0]
    assert keys == ("support", "billing")
    return apart(
        {key: prompt(key) for key in keys},
        [],
        ["billing"],
        [{"text": "It is paid."}],
        inputs={"promptpack.prompt": "billing"},
    )


def plain_agents() -> Completed:
    """Members without the optional keys."""
    return pack(
        {name: prompt(name) for name in ("triage", "billing")},
        {"triage": {"on_event": {"Billing": "billing"}}, "billing": {"terminal": True}},
        [("triage", "Billing", "billing")],
        ["triage", "billing"],
        [fires("Billing"), {"text": "Paid."}],
        agents={"entry": "triage", "members": {"triage": {}, "billing": {}}},
    )


def skills() -> Completed:
    """The skills of the document, and a filter for a state."""
    quoted = member_after(DOCUMENT, "Loaded into the agent's context when activated.")
    front = "---\nname: {0}\ndescription: About {0}.\n---\nKnow {0}.\n"
    return pack(
        {"support": prompt("support"), "close": prompt("close")},
        {
            "support": {"on_event": {"Close": "close"}, "skills": "./skills/billing"},
            "close": {"terminal": True, "skills": "none"},
        },
        [("support", "Close", "close")],
        ["support", "close"],
        [fires("Close"), {"text": "Closed."}],
        skills=quoted,
        files={f"skills/{name}/SKILL.md": front.format(name) for name in ("billing", "compliance")},
    )


def tools() -> Completed:
    """A tool with parameters, referenced by its name."""
    tool = {
        "name": "find_order",
        "description": "Find an order.",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
        },
    }
    return single(prompt=prompt("support", tools=["find_order"]), tools={"find_order": tool})


EXAMPLES = tuple(
    Example(place=f"{DOCUMENT}: {heading}", complete=make)
    for heading, make in (
        ("Evals", evals),
        ("Eval fields", eval_fields),
        ("Open types and triggers", open_types),
        ("Validators", validators),
        ("Fragments", fragments),
        ("Tools", tools),
        ("Artifacts", artifacts),
        ("Loop and budget", loop),
        ("Workflow state", orchestration),
        ("Agents", agents),
        ("Agents without a workflow", agents_alone),
        ("Agent fields", plain_agents),
        ("Prompts without a workflow", prompts_alone),
        ("Skills", skills),
    )
)
