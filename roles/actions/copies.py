"""Each user's own copies of the system roles."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from roles.actions.save_config import save_config
from roles.models import CopyMade, Role


def provide(person: User) -> None:
    """Copy the system roles that this user has not been given yet. Called on every first request,
    so it is one small query if nothing is missing."""
    if not _lacking(person):
        return
    with transaction.atomic():
        # Two simultaneous first requests of one user: the second waits here.
        get_user_model().objects.select_for_update().get(pk=person.pk)
        for source in _lacking(person):
            copy = Role(
                owner=person,
                name=free_name(person, source.name),
                description=source.description,
                color=source.color,
                platform_scopes=source.platform_scopes,
                source_role_id=source.pk,
                revision=0,
            )
            save_config(copy, source.prompt_config, "copied")
            CopyMade.objects.create(person=person, source_role_id=source.pk)


@transaction.atomic
def bring_back(person: User) -> None:
    """Forget deleted copies, so that `provide` creates them again."""
    kept = Role.objects.filter(owner=person, source_role_id__isnull=False)
    CopyMade.objects.filter(person=person).exclude(
        source_role_id__in=kept.values("source_role_id")
    ).delete()


def free_name(person: User, wanted: str) -> str:
    """This name, with the first number appended that makes it unique for the user."""
    taken = set(Role.objects.filter(owner=person).values_list("name", flat=True))
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted} {number}", number + 1
    return name


def _lacking(person: User) -> list[Role]:
    copied_ids = CopyMade.objects.filter(person=person).values("source_role_id")
    return list(Role.objects.filter(is_system=True).exclude(pk__in=copied_ids).order_by("key"))
