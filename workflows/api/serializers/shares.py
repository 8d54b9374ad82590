"""Shapes of sharing, groups and the audit log."""

from __future__ import annotations

from rest_framework import serializers as s

SHARE_LEVELS = ["read", "edit"]
RIGHTS = ["none", "read", "edit", "own"]
SHARED_WITH = ["user", "group"]


class Share(s.Serializer[object]):
    """One share: a user or a group, by name."""

    kind = s.ChoiceField(SHARED_WITH)
    name = s.CharField(max_length=150)
    level = s.ChoiceField(SHARE_LEVELS)


class SharingDescription(s.Serializer[object]):
    """Owner and shares. `owner` is null and `unowned` true for an object that all users share."""

    name = s.CharField()
    owner = s.CharField(allow_null=True)
    unowned = s.BooleanField()
    may = s.ChoiceField(RIGHTS)
    may_share = s.BooleanField()
    shares = Share(many=True)


class NewSharing(s.Serializer[object]):
    """All shares, and optionally a new owner."""

    owner = s.CharField(max_length=150, required=False)
    shares = Share(many=True)


class GroupDescription(s.Serializer[object]):
    """A group of users. `members` is empty for those who are neither staff nor members."""

    id = s.IntegerField()
    name = s.CharField()
    members = s.ListField(child=s.CharField())


class NewGroup(s.Serializer[object]):
    """A group with all of its members, by user name."""

    name = s.CharField(max_length=150)
    members = s.ListField(child=s.CharField(max_length=150), default=list)


class AuditEntry(s.Serializer[object]):
    """One request that changed something, or was refused."""

    at = s.DateTimeField()
    user = s.CharField()
    by = s.CharField()
    operation = s.CharField()
    method = s.CharField()
    path = s.CharField()
    kind = s.CharField()
    object_id = s.CharField()
    object_name = s.CharField()
    outcome = s.ChoiceField(["done", "refused"])
    status = s.IntegerField()
    address = s.CharField()


class AuditPage(s.Serializer[object]):
    """A page of the audit log."""

    results = AuditEntry(many=True)
    next = s.CharField(allow_null=True)
    count = s.IntegerField()
