"""Every rule of the dialect, by family."""

from __future__ import annotations

from functools import cache, partial

from workflows.core.pack.causes import Causes
from workflows.core.pack.findings import Rule, rules_in

COVERED = frozenset({"GR101", "GR102", "GR103", "GR104", "GR106", "GR108"})
"""Rules over any graph that rules of this dialect replace: SR105–107 (entry), SR201–203 (missing
targets), SR601–602 (reachability), SR605 and SR611 (cycles). GR106 does not apply: a closure step
may end the run and also return with `repeat`."""


_BROKEN = ("SR106", "SR107", "SR105", "SR201", "SR203", "SR214", "SR206")
_NO_SCHEMA = ("SR301", "SR302")
CAUSES = Causes(
    anywhere={
        **dict.fromkeys(("SR601", "SR602", "SR603", "SR604", "SR605", "SR611"), _BROKEN),
        "SR507": ("SR502",),
        "SR301": ("SR001",),
    },
    here={
        "SR110": ("SR614",),
        "SR204": ("SR206", "SR103", "SR110"),
        "SR721": ("SR110",),
        "GR105": ("SR110",),
        "SR205": ("SR206", "SR103"),
        "SR207": ("SR206",),
        "SR303": _NO_SCHEMA,
        "SR304": ("SR103", *_NO_SCHEMA),
        "SR406": ("SR418",),
        "SR408": ("SR406",),
        "SR415": ("SR406",),
        "SR507": ("SR501",),
        "SR508": ("SR501",),
    },
)
"""A transition or an entry that leads nowhere makes steps unreachable; an unknown intent
contradicts rules and schema; an unknown name has nothing of its own."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules in the order of their codes."""
    from workflows.core.dialects.steps_registry.rules.refusals import refusal_rule

    refused = refusal_rule(partial(rules_in, __name__))
    return tuple(sorted((*rules_in(__name__), refused), key=lambda each: each.code))
