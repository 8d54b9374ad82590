"""Literal secrets in the files of a pack: every published shape is found, and no ordinary word."""

from __future__ import annotations

import json

import pytest

from tests.dialects.promptpack.packs import pack, prompt
from tests.support.corpus import CORPUS
from workflows.core.dialects import dialects, recognise
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2dE3fG4hI5jK6"
SECRETS = {
    "a private key": "-----BEGIN RSA PRIVATE KEY-----",
    "an Anthropic key": f"sk-ant-api03-{LETTERS}",
    "an OpenAI key": f"sk-proj-{LETTERS}",
    "a key of an OpenAI-compatible server": f"sk-{LETTERS}",
    "a Google API key": f"AIza{LETTERS[:35]}",
    "a GitHub token": f"ghp_{LETTERS[:36]}",
    "a fine-grained GitHub token": f"github_pat_{LETTERS}{LETTERS}",
    "a GitLab token": f"glpat-{LETTERS[:20]}",
    "a Slack token": "xoxb-123456789012-abcdefghijkl",
    "an AWS access key": "AKIAABCDEFGHIJ234567",
    "a Hugging Face token": f"hf_{LETTERS[:34]}",
    "a Stripe key": f"sk_live_{LETTERS[:24]}",
}
WORDS = (
    "task-forcewithaverylongnamethatgoesonandonandon",
    "sk-short",
    "The key begins with sk-ant- and must not be here.",
    "ghp_ is a prefix",
    f"xAKIA{'A' * 16}",
    "-----BEGIN PUBLIC KEY-----",
)


def found(text: str) -> list[str]:
    tree = pack({"prompts/draft": prompt("draft", f"Line.\n{text}\nEnd.")})
    here = dialects()["promptpack"]
    source = here.read(Files.of({"a.pack.json": json.dumps(tree, indent=2).encode()}))
    findings = check(here, source, here.profiles[0])
    return [one.message for one in findings if one.code == "GR116"]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_in_a_prompt_is_found(kind: str) -> None:
    (message,) = found(SECRETS[kind])
    assert message.endswith(f"looks like {kind}.")
    assert SECRETS[kind] not in message or kind == "a private key"


@pytest.mark.parametrize("text", WORDS)
def test_a_word_is_no_secret(text: str) -> None:
    assert found(text) == []


def test_a_secret_in_a_stage_is_found_at_its_line() -> None:
    here = dialects()["stages"]
    files = dict(here.samples()["review-loop"].items())
    path = next(path for path in files if path.endswith(".md"))
    files[path] += f"\nUse {SECRETS['a GitHub token']}.\n".encode()
    source = here.read(Files.of(files))
    (one,) = [one for one in check(here, source, here.profiles[0]) if one.code == "GR116"]
    assert one.place.path == path
    assert one.place.line == files[path].count(b"\n")


def test_samples_have_no_secret() -> None:
    for dialect in dialects().values():
        for files in dialect.samples().values():
            findings = check(dialect, dialect.read(files), dialect.profiles[0])
            assert "GR116" not in {one.code for one in findings}


@pytest.mark.third_party
def test_the_corpus_has_no_false_secret() -> None:
    seen = 0
    for path in sorted((CORPUS / "promptpack").rglob("*.pack.json")):
        files = Files.of({path.name: path.read_bytes()})
        for one in recognise(files):
            here = dialects()[one.dialect]
            source = here.read(files)
            assert "GR116" not in {f.code for f in check(here, source, here.profiles[0])}, path
            seen += 1
    assert seen > 20
