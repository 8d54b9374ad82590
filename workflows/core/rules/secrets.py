"""The rule about secrets in the files of a pack.

The shapes are those that the providers publish for their keys, so a match is hardly ever a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from workflows.core.pack.findings import EVERY, Finding, Place, rule
from workflows.core.pack.graph import Graph

SHAPES = {
    "a private key": rb"-----BEGIN (?:[A-Z]{1,12} )?PRIVATE KEY-----",
    "an Anthropic key": rb"sk-ant-[\w-]{20,200}",
    "an OpenAI key": rb"sk-(?:proj|svcacct|admin)-[\w-]{20,200}",
    "a key of an OpenAI-compatible server": rb"sk-[A-Za-z0-9]{32,100}(?![\w-])",
    "a Google API key": rb"AIza[\w-]{35}(?![\w-])",
    "a GitHub token": rb"gh[opsur]_[A-Za-z0-9]{36,255}",
    "a fine-grained GitHub token": rb"github_pat_\w{50,255}",
    "a GitLab token": rb"glpat-[\w-]{20,100}",
    "a Slack token": rb"xox[abprs]-[A-Za-z0-9-]{10,250}",
    "an AWS access key": rb"(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)",
    "a Hugging Face token": rb"hf_[A-Za-z0-9]{30,60}",
    "a Stripe key": rb"[rs]k_live_[A-Za-z0-9]{20,200}",
}
"""Name of a kind of secret → its shape."""
_SHAPES = {kind: re.compile(shape) for kind, shape in SHAPES.items()}
_INSIDE_A_WORD = re.compile(rb"(?<!\\)[\w-]\Z|\\[\w-]{2}\Z")
"""The text before a match that is part of a longer word. `\\n` in JSON is no letter."""
SHOWN = 8
"""Number of characters of a secret that a message repeats."""


@rule("GR116", "warning", "Secret in a file", profiles=EVERY)
def secret_in_file(source: Any, graph: Graph) -> Iterable[Finding]:
    """A file of the pack contains a key, a token or a private key. Prompts are sent to models and
    stored in logs, and an export or a proposal copies the file. Replace the secret at its issuer,
    remove it here, and enter the new one under Settings or in the settings of a tool."""
    for path, data in source.files.items():
        found = {
            match.start(): (match[0], kind)
            for kind, shape in _SHAPES.items()
            for match in shape.finditer(data)
            if not _INSIDE_A_WORD.search(data[max(0, match.start() - 3) : match.start()])
        }
        for start, (secret, kind) in sorted(found.items()):
            yield Finding(
                code="GR116",
                level="warning",
                message=f"The text “{secret[:SHOWN].decode()}…” looks like {kind}.",
                place=Place(path=path, line=data.count(b"\n", 0, start) + 1),
                hint="Replace it at its issuer and remove it here: prompts, logs and exports "
                "contain this text.",
            )
