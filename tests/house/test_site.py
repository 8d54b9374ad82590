"""The site of the documentation, and the commands that its pages print."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from scripts import site
from signalbox.arguments import parser
from signalbox.cli import main
from workflows.help.pages import pages
from workflows.installation import ROOT

DIALECTS = ROOT / "workflows" / "core" / "dialects"
FENCE = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
RECORDED = {"signalbox serve", "signalbox open ."}
"""Commands of the five paths that do not end; the first journey of the wheel starts them."""


def test_the_site_is_complete(tmp_path: Path) -> None:
    site.write(tmp_path)
    for address in pages():
        page = tmp_path / address / "index.html"
        text = page.read_text()
        for link in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^":]*)?"', text):
            target = page.parent / link
            assert (target / "index.html" if link.endswith("/") else target).is_file(), link
    for link in re.findall(r"\(([\w/.-]+\.md)\)", (tmp_path / "llms.txt").read_text()):
        assert (tmp_path / link).is_file()


def commands(address: str) -> list[str]:
    """The `signalbox` commands of a page, each on one line."""
    blocks = "".join(FENCE.findall(pages()[address].text)).replace("\\\n", " ")
    lines = [line.strip() for line in blocks.splitlines()]
    return [
        line[line.index("signalbox ") :]
        for line in lines
        if re.match(r"(uvx --from \S+ |\.venv/bin/|pipx run --spec \S+ )?signalbox ", line)
    ]


def test_every_command_of_every_page_has_arguments_that_exist() -> None:
    found = [(address, line) for address in pages() for line in commands(address)]
    assert len(found) > 40
    for address, line in found:
        words = shlex.split(re.sub(r"\$\(.*?\)", "X", line), comments=True)
        until = next((n for n, word in enumerate(words) if word in ("|", ">", "&&", ";")), None)
        try:
            parser().parse_args(words[1:until])
        except SystemExit as ended:
            pytest.fail(f"{address}: {line} ends with {ended.code}")


PATHS = {
    "I have a PromptPack": ("promptpack/samples/code-review.pack.json", "code-review.pack.json"),
    "I have a steps registry": ("steps_registry/samples/triage-bot", "."),
    "I have workflow scripts": ("workflow_scripts/samples/deep-question.js", ".claude/workflows"),
    "I have a folder of stages": ("stages/samples/feature-delivery", "."),
}


@pytest.mark.parametrize("title", PATHS)
def test_a_strangers_path_works_as_printed(
    title: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, target = DIALECTS / PATHS[title][0], tmp_path / PATHS[title][1]
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        (target if target.suffix == "" else target.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    monkeypatch.chdir(tmp_path)
    text = pages()["start"].text.split(f"## {title}\n")[1].split("\n## ")[0]
    (block,) = FENCE.findall(text)
    for line in block.splitlines():
        if line not in RECORDED:
            capsys.readouterr()
            code = main(shlex.split(line)[1:])
            out, err = capsys.readouterr()
            assert (code, err) == (0, ""), (line, out)
            assert out
