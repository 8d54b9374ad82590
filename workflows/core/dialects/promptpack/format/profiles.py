"""The profiles of the dialect, and the behaviour of each.

`promptkit-1` is PromptKit up to its release 1.5, `promptkit-2` the modules `runtime/v2` and
`sdk/v2`. `promptkit` is another name of `promptkit-1`, for packs and runs that were stored under
it.
"""

from __future__ import annotations

from dataclasses import dataclass

DOCUMENTED = "documented"
FIRST = ("promptkit", "promptkit-1")
SECOND = ("promptkit-2",)
PROMPTKIT = (*FIRST, *SECOND)
"""The profiles of PromptKit, of both generations."""
PROFILES = (DOCUMENTED, "promptkit-1", "promptkit-2", "promptkit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The decisions of a profile in a run. `promptkit` stands for those of both generations."""

    promptkit: bool = False
    always_yields: bool = False
    """`control` is followed without a run option."""
    ignores_control: bool = False
    ignores_policy: bool = False
    default_rounds: int = 5
    default_calls: int = 10
    ignores_overrides: bool = False
    """Model overrides are not read, and only two parameters are."""
    needs_enabled: bool = False
    """A validator without `enabled` is off."""
    checks_governance: bool = False
    """A pack whose governance refers to missing objects does not open."""


PROMPTKIT_ROUNDS = 50
UNLIMITED = 10**6
_BEHAVIOURS = {
    DOCUMENTED: Behaviour(),
    **{
        name: Behaviour(
            promptkit=True,
            ignores_control=True,
            ignores_policy=True,
            default_rounds=PROMPTKIT_ROUNDS,
            default_calls=UNLIMITED,
            ignores_overrides=True,
            needs_enabled=True,
        )
        for name in FIRST
    },
    **{
        name: Behaviour(
            promptkit=True,
            always_yields=True,
            default_rounds=PROMPTKIT_ROUNDS,
            default_calls=UNLIMITED,
            checks_governance=True,
        )
        for name in SECOND
    },
}
DEFAULT = _BEHAVIOURS[DOCUMENTED]


def behaviour_of(profile: str) -> Behaviour:
    """The behaviour of a profile; that of the documents for an unknown one."""
    return _BEHAVIOURS.get(profile, DEFAULT)
