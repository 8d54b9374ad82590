"""Conversion of a stored pack to another dialect, as a new pack."""

from __future__ import annotations

from django.contrib.auth.models import User

from workflows.actions.packs import import_files
from workflows.core.convert.conversion import CannotConvert, Conversion
from workflows.errors import CannotBeConverted
from workflows.isolation import Limits, Stopped, run_apart
from workflows.models import Pack
from workflows.selectors.sources import dialect_named, opened

LIMITS = Limits(seconds=20)


def convert_pack(pack: Pack, to: str, *, owner: User | None) -> tuple[Pack, Conversion]:
    """The new pack, and the conversion report of the newest revision. The conversion runs in a
    process of its own.

    Raises NotThere for an unknown dialect, and CannotBeConverted with the reason.
    """
    here, target = opened(pack), dialect_named(to)
    if not here.readable:
        raise CannotBeConverted(
            "This pack cannot be read, so there is nothing to convert.",
            hint="The findings name the place to repair.",
        )
    try:
        made: Conversion = run_apart(
            "converted", pack.dialect, here.files, pack.profile, to, limits=LIMITS
        )
    except CannotConvert as cannot:
        raise CannotBeConverted(cannot.message, hint=cannot.hint, where="to") from cannot
    except Stopped as stopped:
        raise CannotBeConverted(
            stopped.sentence("The conversion"), hint="Split the pack, and convert its parts."
        ) from None
    name = f"{pack.name} ({target.label})"[:200]
    taken = import_files(made.files, owner=owner, origin=f"converted from {pack.name}", name=name)
    return taken.packs[0], made
