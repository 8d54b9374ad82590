"""Files, revisions, differences and exports."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import Finding, Page


class PackFile(s.Serializer[Any]):
    path = s.CharField()
    size = s.IntegerField()
    text = s.BooleanField()


class FileText(s.Serializer[Any]):
    path = s.CharField()
    revision = s.IntegerField()
    text = s.CharField(required=False)
    binary = s.BooleanField(required=False)


class RevisionDescription(s.Serializer[Any]):
    number = s.IntegerField()
    kind = s.ChoiceField(choices=["import", "edit", "undo", "redo", "restore"])
    author = s.CharField()
    summary = s.CharField()
    name = s.CharField()
    undoes = s.IntegerField(allow_null=True)
    created_at = s.DateTimeField()


class RevisionPage(Page):
    results = RevisionDescription(many=True)


class RevisionName(s.Serializer[Any]):
    name = s.CharField(allow_blank=True, max_length=200)


class FileDifference(s.Serializer[Any]):
    path = s.CharField()
    diff = s.CharField()


class Rename(s.Serializer[Any]):
    was = s.CharField()
    now = s.CharField()


class Sets(s.Serializer[Any]):
    added = s.ListField(child=s.CharField())
    removed = s.ListField(child=s.CharField())
    changed = s.ListField(child=s.CharField())
    renamed = Rename(many=True)


class Difference(s.Serializer[Any]):
    files = FileDifference(many=True)
    states = Sets()
    transitions = Sets()


class GitTarget(s.Serializer[Any]):
    repository = s.CharField(help_text="Absolute path of a repository on the server.")
    branch = s.CharField(
        max_length=200, help_text="A new branch, or one that no work tree has checked out."
    )
    folder = s.CharField(
        required=False,
        allow_blank=True,
        help_text="The pack's folder in the repository. Default: where it was before.",
    )
    revision = s.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Default: the newest."
    )
    base = s.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="The commit that the pack is based on. Default: that of the last import or "
        "export, or the newest commit that has the imported files.",
    )


class GitExport(GitTarget):
    message = s.CharField(max_length=10_000)
    author = s.CharField(
        required=False, max_length=300, help_text="`Name <address>`. Default: the user."
    )
    tree = s.CharField(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="The tree of the preview. Another result is not committed.",
    )


class CommitTarget(s.Serializer[Any]):
    branch = s.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="A new branch, which is checked out too. Default: the checked-out one.",
    )


class PackCommit(CommitTarget):
    message = s.CharField(max_length=10_000)
    tree = s.CharField(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="The tree of the preview. Another result is not committed.",
    )


class GitFile(s.Serializer[Any]):
    path = s.CharField()
    change = s.ChoiceField(choices=["added", "changed", "deleted"])


class GitFileDifference(GitFile):
    diff = s.CharField(allow_blank=True)


class GitPlace(s.Serializer[Any]):
    path = s.CharField()
    line = s.IntegerField()
    yours = s.CharField(allow_blank=True)
    theirs = s.CharField(allow_blank=True)
    reason = s.CharField(allow_blank=True)


class GitResult(s.Serializer[Any]):
    branch = s.CharField(allow_blank=True, help_text="Empty while the branch does not exist.")
    new_branch = s.BooleanField(help_text="The branch did not exist before.")
    folder = s.CharField(allow_blank=True)
    revision = s.IntegerField()
    base = s.CharField(
        allow_blank=True, help_text="The commit that the changes are based on; empty if unknown."
    )
    base_source = s.ChoiceField(choices=["import", "export", "given", "found", "none"])
    parent = s.CharField(allow_blank=True)  # type: ignore[assignment]
    tree = s.CharField()
    merges = s.BooleanField(help_text="The branch has moved since the base; both are merged.")
    unchanged = s.BooleanField(help_text="There is nothing to commit.")


class GitPlan(GitResult):
    files = GitFileDifference(many=True)
    conflicts = GitPlace(many=True)
    findings = Finding(many=True, help_text="Errors that only the merged pack has.")


class CommitPlan(GitPlan):
    checkout = s.CharField(
        allow_blank=True, help_text="The checked-out branch; empty for a commit without one."
    )
    author = s.CharField(help_text="Git's own author in this folder; without one, the user.")
    hooks = s.ListField(
        child=s.CharField(), help_text="Hooks of the repository, which do not run here."
    )
    signs = s.BooleanField(help_text="Git itself would sign the commit. It is not signed here.")


class GitExported(GitResult):
    commit = s.CharField(help_text="The branch's new commit; if unchanged, the one that has it.")
    paths = s.ListField(child=s.CharField())
    files = GitFile(many=True)


class GitDestination(s.Serializer[Any]):
    repository = s.CharField()
    folder = s.CharField(allow_blank=True)
    branch = s.CharField(allow_blank=True)
    commit = s.CharField()
    revision = s.IntegerField()
    kind = s.ChoiceField(choices=["import", "export"])
    created_at = s.DateTimeField()


class GitImport(s.Serializer[Any]):
    repository = s.CharField(help_text="Absolute path of a repository on the server.")
    ref = s.CharField(
        required=False,
        max_length=200,
        default="HEAD",
        help_text="A branch, a tag or a commit. Default: HEAD.",
    )
    path = s.CharField(
        required=False, allow_blank=True, default="", help_text="A folder or file in it."
    )
    name = s.CharField(required=False, allow_blank=True, max_length=200, default="")
    separate = s.BooleanField(
        required=False,
        default=False,
        help_text="Make a new pack even if one was imported from this path before.",
    )
