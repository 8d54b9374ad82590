"""Rules of stages, by theme. Codes: ST1 files, ST20 the eight keys, ST22 tools, ST23 schemas, ST3
prompts, ST4 successors, ST50 conditions, ST52 hooks of a stage, ST54 grants, ST6 exports for
stud-cli."""

from workflows.core.pack.causes import UNREACHABLE, Causes

COVERED = frozenset({"GR101", "GR102", "GR103", "GR105", "GR109"})
"""General rules that more precise rules here replace, with stud-cli's name for the problem and a
fix. Dead ends are not a problem: a stage without a successor ends its branch."""

_BROKEN = ("ST402", "ST403", "ST404", "ST413")
CAUSES = Causes(
    anywhere={
        **dict.fromkeys(UNREACHABLE, _BROKEN),
        **dict.fromkeys(("ST309", "ST310", "ST405"), ("ST404",)),
        **dict.fromkeys(("ST306", "ST315", "ST316"), ("ST121",)),
        **dict.fromkeys(("ST238", "ST311", "ST313"), ("ST413",)),
        "ST530": ("ST505", "ST522"),
    },
    here={"ST213": ("ST201",), **dict.fromkeys(("GR110", "ST409", "ST411"), ("ST413",))},
)
"""A transition or an entry that leads nowhere makes other states unreachable."""
