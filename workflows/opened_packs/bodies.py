"""Bodies of responses about one opened pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from roles.core.columns import columns
from roles.core.file_diffs import plain_text
from workflows.core.convert.conversion import converts
from workflows.core.dialects import dialects
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.run_options import RunInput
from workflows.core.pack.call_bound import CallBound, assumptions
from workflows.core.pack.files import Files
from workflows.core.pack.graph import state_json, transition_json
from workflows.core.pack.thumbnail import Thumbnail
from workflows.core.rules.check import rules_for
from workflows.core.rules.worst_case import NO_BOUND, WorstCase
from workflows.errors import BadRequest, NotThere
from workflows.opened_packs.known_tools import (
    PER_RULE,
    Known,
    findings_json,
    findings_with_tools,
    with_tool_names,
)
from workflows.opened_packs.pack_names import name_in_files
from workflows.opened_packs.pack_work import on_pack
from workflows.opened_packs.view import Opened, View
from workflows.providers.call_costs import ASSUMED, run_cost

NOWHERE: dict[str, Any] = {
    "x": None, "y": None, "width": None, "height": None, "routes": None, "note": "", "bound": None,
    "approval_limit": None,
}  # fmt: skip
"""A state without position, size, routes, note, role or time limit."""


def card_json(
    row: object, *, states: int, transitions: int, drawing: Thumbnail, last_run: Any
) -> dict[str, Any]:
    """A pack in the gallery. `row`: an object with its stored columns."""
    stored = columns(
        row, "id", "name", "dialect", "profile", "main", "origin", "head", "errors", "warnings",
        "folder", "changed_at",
    )  # fmt: skip
    return {
        **stored,
        "dialect_label": label_of(stored["dialect"]),
        "states": states,
        "transitions": transitions,
        "last_run": last_run,
        "thumbnail": drawing.to_json(),
    }


def label_of(name: str) -> str:
    """The label of a dialect, or its name if it is not installed."""
    dialect = dialects().get(name)
    return dialect.label if dialect else name


def detail_json(card: Mapping[str, Any], read: Opened, approval_limit: Any) -> dict[str, Any]:
    """One pack, with the profiles it can be read under."""
    return {
        **card,
        "profiles": list(read.dialect.profiles),
        "approval_limit": approval_limit,
        "file_name": name_in_files(read),
    }


def graph_json(
    pack_view: View, drawn: View, places: Mapping[str, Any], known: Known, **stored: Any
) -> dict[str, Any]:
    """Everything the canvas needs to draw a revision. `drawn`: the revision whose drawing is shown,
    an earlier one if this cannot be read. `stored`: what only the store knows."""
    return {
        **drawn.graph.to_json(),
        "states": [
            {**state_json(state), **places.get(state.id, NOWHERE)}
            for state in drawn.states.values()
        ],
        "transitions": [transition_json(transition) for transition in drawn.transitions.values()],
        "readable": pack_view.readable,
        "findings": findings_json(findings_with_tools(pack_view, known), most=PER_RULE),
        "outline": drawn.drawn.outline,
        "palette": [item.to_json() for item in pack_view.dialect.palette()],
        **stored,
    }


def program_of(pack_view: View) -> Program | None:
    """The program of a pack; None if it cannot run, which starting a run reports."""
    try:
        return pack_view.program
    except CannotRun:
        return None


def start_inputs(pack_view: View, of_roles: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The inputs of a run as its start needs them: those of the pack, then those that its roles
    name. `simulated`: the value that a rehearsal generates, "" for none."""
    program = program_of(pack_view)
    if program is None:
        return []
    of_pack = program.inputs
    names = {one.name for one in of_pack}
    named = (RunInput(name=name, help="Named by a role.") for name in of_roles if name not in names)
    simulated = simulated_inputs(program)
    return [
        {
            **one.to_json(),
            "by_role": one.name not in names,
            "simulated": simulated.get(one.name, ""),
        }
        for one in (*of_pack, *named)
    ]


def call_approvals(read: Opened) -> list[dict[str, Any]]:
    """The calls that a person approves in runs."""
    if not read.readable:
        return []
    return [asdict(one) for one in read.dialect.call_approvals(read.source)]


def options(pack_view: View) -> list[dict[str, Any]]:
    """Inputs that select how a run works; empty if the pack cannot run."""
    program = program_of(pack_view)
    return [option.to_json() for option in program.options] if program else []


def offers(pack_view: View, state: str) -> list[dict[str, Any]]:
    """Transitions that may be drawn from a state. Raises NotThere."""
    if state not in pack_view.states:
        raise NotThere(f"There is no state {state!r} in this pack.", where="state")
    made = on_pack(
        "Finding the transitions",
        "offers",
        pack_view.dialect,
        pack_view.files,
        state,
        pack_view.profile,
    )
    return [asdict(offer) for offer in made]


def form(pack_view: View, element: str, known: Known) -> dict[str, Any]:
    """The form of one element. Raises EditRefused for an unknown one."""
    made = pack_view.form(element)
    return {**made, "schema": with_tool_names(made["schema"], known)}


def worst_case(pack_view: View) -> WorstCase:
    """The most that one run can use."""
    if not pack_view.readable:
        return NO_BOUND
    worst: WorstCase = on_pack(
        "Bounding this pack", "worst", pack_view.dialect, pack_view.files, pack_view.profile
    )
    return worst


def call_bound(pack_view: View, assumed: Mapping[str, int]) -> CallBound:
    """The most agents or model calls of one run. `assumed`: numbers of its unknowns. Nothing
    bounds a pack that cannot be read."""
    if not pack_view.readable:
        return CallBound(formula="?", most=None, open=("unreadable files",), unit="model calls")
    bound: CallBound = on_pack(
        "Bounding this pack",
        "bounded",
        pack_view.dialect,
        pack_view.files,
        pack_view.profile,
        assumed,
    )
    return bound


def worst_case_json(
    pack_view: View, assume: Iterable[str], session_model: str | None = None
) -> dict[str, Any]:
    """The most agents or model calls of one run, and their cost. `assume`: texts `NAME=NUMBER`.
    Raises BadRequest."""
    try:
        assumed = assumptions(assume)
    except ValueError as wrong:
        message = f"An assumption is NAME=NUMBER, such as claims=20; not {str(wrong)!r:.80}."
        raise BadRequest(message, where="assume") from None
    unknowns = {name: number for name, number in assumed.items() if name not in ASSUMED}
    bound = call_bound(pack_view, unknowns)
    cost = run_cost(bound.calls, assumed, session_model)
    return {**asdict(bound), "cost": cost.to_json()}


def known_formats() -> str:
    """The next step for files without a pack: the formats, each with its usual file name."""
    formats = [one for one in dialects().values() if one.file_names]
    names = ", ".join(f"{one.label} ({one.file_names[0]})" for one in formats)
    return f"A pack is one of {names}. Check the file's name, or open a sample."


def file_list(files: Files, main: str) -> list[dict[str, Any]]:
    """Path, size and text flag of each file, main file first."""
    return [
        {"path": path, "size": len(data), "text": plain_text(data) is not None}
        for path, data in sorted(files.items(), key=lambda item: (item[0] != main, item[0]))
    ]


def file_text(files: Files, path: str) -> dict[str, Any]:
    """One file's text, or `binary` if it is not UTF-8. Raises NotThere."""
    data = files.get(path)
    if data is None:
        raise NotThere(f"This pack has no file {path!r}.", where="path")
    text = plain_text(data)
    return {"binary": True} if text is None else {"text": text}


def text_ranges(pack_view: View, path: str) -> list[dict[str, object]]:
    """The text of each element in one file. Raises NotThere."""
    files = pack_view.files
    if path not in files:
        raise NotThere(f"This pack has no file {path!r}.", where="path")
    made = on_pack(
        "Finding the elements of this file",
        "ranges",
        pack_view.dialect,
        files,
        pack_view.profile,
        path,
    )
    return [one.to_json() for one in made]


def dialect_list() -> list[dict[str, Any]]:
    """Dialects with their profiles and rules."""
    return [
        {
            "name": dialect.name,
            "label": dialect.label,
            "profiles": list(dialect.profiles),
            "converts_to": [one.name for one in dialects().values() if converts(dialect, one)],
            "rules": [
                {
                    "code": rule.code,
                    "level": rule.level,
                    "title": rule.title,
                    "help": rule.help,
                    "profiles": [name for name in dialect.profiles if rule.holds_in(name)],
                    "hint_in": list(rule.hint_in),
                }
                for rule in rules_for(dialect)
            ],
        }
        for dialect in dialects().values()
    ]
