"""Fixes that can be applied without a decision of the author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from workflows.core.dialects.base import Dialect
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.findings import Finding
from workflows.core.pack.graph import Graph
from workflows.core.rules.check import check

SAFE_CODES = frozenset(
    {
        "AG302",  # a second edge that is the same
        "CW206",  # the `#` of a colour
        "PP224",  # `control` on an end, which has no effect
        "PP305",  # a second declaration of a variable
        "PP306",  # spaces in a placeholder
        "PP327",  # a second entry of a provider
        "PP330",  # a second entry of a skill
        "PP405",  # an empty tag
        "PP505",  # `sample_percentage` without sampling
        "PP901",  # an empty `on_event`
        "SR309",  # a `targetField` without jump
        "SR504",  # empty `extractParams`
        "SR606",  # `stepId` as the key of the step
        "SR608",  # the `stepKind` that applies already
        "SR710",  # the `stepKind` that applies already
        "ST202",  # a number or a list that was written as a string
        "ST222",  # a tool listed twice
        "ST223",  # the completion tool, which every stage has
        "ST409",  # a join of a step with one branch
        "ST414",  # an empty list, which a missing `next` means
        "ST415",  # `onParallelFailure` without branches
        "ST418",  # an empty list, which `terminate` means
    }
)
"""Rules whose fix writes the same behaviour in another way, or removes a value without effect."""

MOST_FIXES = 500
"""Maximum number of fixes in one pack."""

Wanted: TypeAlias = "Callable[[Finding], bool]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The pack after its fixes, and the findings that were fixed, in order."""

    source: Any
    fixed: tuple[Finding, ...]


def apply_safe_fixes(dialect: Dialect, source: Any, profile: str, wanted: Wanted) -> Outcome:
    """Apply safe fixes of wanted findings until none is left.

    A fix is undone if its finding stays, if it causes another error or warning, or if it
    changes a state or a transition of the graph.
    """
    fixed: list[Finding] = []
    failed: set[tuple[str, str, str]] = set()
    findings = check(dialect, source, profile)
    while source.readable and len(fixed) < MOST_FIXES:
        following = next(
            (
                finding
                for finding in findings
                if finding.fix and finding.code in SAFE_CODES and _key(finding) not in failed
                if wanted(finding)
            ),
            None,
        )
        if following is None:
            break
        after = _after(dialect, source, following)
        results = () if after is None else check(dialect, after, profile)
        if after is not None and (
            _is_better(following, findings, results)
            and _drawn(dialect.graph(source, profile)) == _drawn(dialect.graph(after, profile))
        ):
            source, findings = after, results
            fixed.append(following)
        else:
            failed.add(_key(following))
    return Outcome(source=source, fixed=tuple(fixed))


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, finding.place.element, finding.message


def _after(dialect: Dialect, source: Any, finding: Finding) -> Any:
    """The pack after one fix. None if the fix is not possible."""
    assert finding.fix is not None
    try:
        for edit in finding.fix.edits:
            source = dialect.apply(source, edit)
    except EditRefused:
        return None
    return source if source.readable else None


def _is_better(fixed: Finding, before: tuple[Finding, ...], after: tuple[Finding, ...]) -> bool:
    """True if the finding is gone and no error or warning is new."""
    was, now = Counter(map(_key, before)), Counter(map(_key, after))
    new = now - was
    bad = {_key(finding) for finding in after if finding.level != "hint"}
    return now[_key(fixed)] < was[_key(fixed)] and not any(key in bad for key in new)


def _drawn(graph: Graph) -> object:
    """The parts of a graph that decide the path of a run."""
    return (
        sorted(state.id for state in graph.states),
        sorted(transition.id for transition in graph.transitions),
        graph.entries,
        graph.most_visits,
    )
