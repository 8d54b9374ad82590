"""Repositories in which git's whole configuration names a program: one that leaves a mark.

The keys are those of git's own list (`git help --config`) that start a program, read the name of
one, or lead git to another configuration or protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.git_repository import git

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout",
    "post-commit", "post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update",
    "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase",
    "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
    "reference-transaction", "sendemail-validate", "update",
)  # fmt: skip

COMMANDS = (
    "core.alternateRefsCommand", "core.askPass", "core.editor", "core.fsmonitor", "core.gitProxy",
    "core.pager", "core.sshCommand", "credential.helper", "credential.https://x.helper",
    "diff.d.command", "diff.d.textconv", "diff.external", "filter.f.clean", "filter.f.process",
    "filter.f.smudge", "gpg.openpgp.program", "gpg.program", "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program", "gpg.x509.program", "imap.tunnel", "interactive.diffFilter",
    "merge.m.driver",
    "remote.origin.receivepack", "remote.origin.uploadpack", "sendemail.ccCmd", "sendemail.tocmd",
    "sequence.editor", "uploadpack.packObjectsHook", "browser.b.cmd", "browser.b.path",
    "difftool.t.cmd", "difftool.t.path", "guitool.g.cmd", "man.m.cmd", "man.m.path",
    "mergetool.t.cmd", "mergetool.t.path", "tar.tar.command", "trailer.t.command", "trailer.t.cmd",
    "hook.h.command", "instaweb.httpd", "gc.recentObjectsHook", "sendemail.smtpServer",
)  # fmt: skip
"""Keys whose value is a program."""

PAGED = ("diff-tree", "log", "rev-list", "for-each-ref", "config", "status")

SETTINGS: Mapping[str, Sequence[tuple[str, str]]] = {
    "browser": (("web.browser", "b"), ("help.browser", "b"), ("instaweb.browser", "b")),
    "man.viewer": (("man.viewer", "m"),),
    "tools": (("diff.tool", "t"), ("diff.guitool", "t"), ("merge.tool", "t"),
              ("merge.guitool", "t")),
    "signatures": (("commit.gpgSign", "true"), ("tag.gpgSign", "true"), ("push.gpgSign", "true"),
                   ("tag.forceSignAnnotated", "true"), ("log.showSignature", "true"),
                   ("merge.verifySignatures", "true"), ("user.signingKey", "x")),
    "required filter": (("filter.f.required", "true"),),
    "hook.h.event": (("hook.h.event", "reference-transaction"), ("hook.h.event", "pre-commit")),
    "promisor": (("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"),
                 ("remote.origin.promisor", "true"), ("remote.origin.url", "ext::{trap}"),
                 ("protocol.allow", "always"), ("protocol.ext.allow", "always")),
    "remote.<name>.vcs": (("remote.origin.vcs", "ext"), ("remote.origin.url", "{trap}")),
    "submodules": (("submodule.recurse", "true"), ("submodule.sub.update", "!{trap}"),
                   ("submodule.sub.url", "ext::{trap}"), ("submodule.sub.active", "true"),
                   ("fetch.recurseSubmodules", "true"), ("push.recurseSubmodules", "on-demand")),
    "proc-receive": (("receive.procReceiveRefs", "refs/heads"),),
    "upkeep": (("gc.auto", "1"), ("maintenance.auto", "true"), ("receive.autogc", "true")),
    "ssh.variant": (("ssh.variant", "simple"),),
}  # fmt: skip
"""Settings without which a program of another key is not started, and those with several keys."""


@dataclass(frozen=True, slots=True)
class Traps:
    """`mark`: the file that a program appends its key to, if it runs."""

    folder: Path

    @property
    def mark(self) -> Path:
        return self.folder / "ran"

    def program(self, key: str) -> Path:
        """A program that leaves its key in `mark`, and passes its input on."""
        path = self.folder / "bin" / re.sub(r"[^\w.-]", "_", key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{key}' >> {self.mark}\ncat\n")
        path.chmod(0o755)
        return path

    def settings_of(self, key: str) -> Iterator[tuple[str, str]]:
        """The lines of a configuration for one row of the table."""
        trap = self.program(key)
        if key in COMMANDS:
            yield key, str(trap)
        elif key == "core.hooksPath":
            for hook in HOOKS:
                path = self.folder / "hooks" / hook
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.program(f"hook {hook}").read_text())
                path.chmod(0o755)
            yield key, str(self.folder / "hooks")
        elif key == "init.templateDir":
            path = self.folder / "template/hooks/post-checkout"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(trap.read_text())
            path.chmod(0o755)
            yield key, str(self.folder / "template")
        elif key in INCLUDES:
            other = self.folder / f"included-{INCLUDES.index(key)}"
            other.write_text(
                f'[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n[filter "f"]\n\tclean = {trap}\n'
                f'[filter "i"]\n\tclean = {trap}\n\tsmudge = {trap}\n'
            )
            yield key, str(other)
            yield "remote.elsewhere.url", "https://example.org/"
        elif key == "extensions.worktreeConfig":
            for name in ("core.fsmonitor", "filter.f.clean", "diff.external"):
                yield name, str(trap)
        elif key == "alias":
            for name in ("rev-parse", "status", "upload-pack", "canary"):
                yield f"alias.{name}", f"!{trap}"
        elif key == "pager.<cmd>":
            for name in PAGED:
                yield f"pager.{name}", str(trap)
        elif key == "url.<base>.insteadOf":
            yield f"url.ext::{trap}.insteadOf", "/"
            yield f"url.ext::{trap} .pushInsteadOf", "/"
        elif key == "odd names of filters":
            for name in ("\udcff", "a=b", "a.b", "ä"):
                for part in ("clean", "smudge", "process"):
                    yield f"filter.{name}.{part}", str(trap)
        else:
            for name, value in SETTINGS[key]:
                yield name, value.replace("{trap}", str(trap))

    def set(self, folder: Path, keys: Sequence[str]) -> None:
        """Write the rows to the configuration of the repository at this folder."""
        for key in keys:
            scope = () if key != "extensions.worktreeConfig" else ("--worktree",)
            if scope:
                git(folder, "config", key, "true")
            for name, value in self.settings_of(key):
                git(folder, "config", *scope, "--add", name, value)

    def ran(self) -> set[str]:
        return set(self.mark.read_text().splitlines()) if self.mark.exists() else set()


INCLUDES = (
    "include.path", "includeIf.gitdir:/**.path", "includeIf.onbranch:**.path",
    "includeIf.hasconfig:remote.*.url:**.path",
)  # fmt: skip

KEYS = (
    *COMMANDS, *SETTINGS, *INCLUDES, "core.hooksPath", "extensions.worktreeConfig",
    "init.templateDir", "alias", "pager.<cmd>", "url.<base>.insteadOf", "odd names of filters",
)  # fmt: skip
"""The rows of the table."""

ATTRIBUTES = b"""* filter=f diff=d merge=m
*.txt filter=\xff
*.md filter=a=b
*.note filter=i
"""
