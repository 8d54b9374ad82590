"""The documentation: every page in the app and in the site, its links, files and commands."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from scripts import site as static_site
from signalbox.arguments import parser
from signalbox.cli import main
from workflows.help.links import broken_links
from workflows.help.markdown import navigation, rendered
from workflows.help.pages import OPENAPI, pages, search
from workflows.installation import PAGES, ROOT

DIALECTS = ROOT / "workflows" / "core" / "dialects"
FENCE = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
RECORDED = {"signalbox serve", "signalbox open ."}
"""Commands of the five paths that do not end; the first journey of the wheel starts them."""


@pytest.fixture
def stranger() -> Client:
    return Client(HTTP_HOST="127.0.0.1")


def test_every_page_is_open_to_strangers_and_keeps_the_content_policy(stranger: Client) -> None:
    for address in pages():
        answer = stranger.get(f"/help/{address}/" if address else "/help/")
        assert answer.status_code == 200, address
        assert rendered(address).html in answer.content.decode()
        assert not re.search(r"<script|<style| style=| on[a-z]+=", rendered(address).html), address


def test_every_link_leads_to_a_page_a_part_or_a_file() -> None:
    assert broken_links() == []
    linked = sum(len(rendered(address).links) for address in pages())
    assert linked > 1_000
    dropped = {link for address in pages() for link in rendered(address).dropped}
    assert {link for link in dropped if link.endswith(".md") and "README" not in link} == set()


def test_the_first_page_leads_to_every_page_of_the_folder() -> None:
    listed = {address for section in navigation() for address, _ in section.pages}
    written = {address for address, page in pages().items() if page.source.startswith("docs/")}
    assert {one for one in written - listed if not one.startswith("decisions/")} == {""}


def test_the_reference_has_every_operation_and_object_of_the_api() -> None:
    document = OPENAPI.read_text()
    operations = set(re.findall(r"operationId: (\w+)", document))
    anchors = {
        id for address in pages() if address.startswith("api/") for id in rendered(address).anchors
    }
    assert operations <= anchors
    assert len(operations) > 150
    assert "RunDescription" in rendered("api/objects").anchors
    assert "PP101" in rendered("dialects/promptpack").anchors


def test_files_search_and_unknown_addresses(stranger: Client) -> None:
    assert stranger.get("/help/openapi.yaml").content == OPENAPI.read_bytes()
    assert stranger.get("/help/editor.png")["Content-Type"] == "image/png"
    assert stranger.get("/help/backup.md").content == (PAGES / "docs/backup.md").read_bytes()
    assert "(backup.md)" in stranger.get("/help/llms.txt").content.decode()
    assert stranger.get("/help/backup").status_code == 302
    for wrong in ("/help/none/", "/help/none", "/help/../settings.py"):
        assert stranger.get(wrong).status_code == 404, wrong
    assert search("RESTORE backup")[0].address == "backup"
    assert "/backup/" in stranger.get("/help/?q=restore").content.decode()


def test_pages_and_the_command_line_lead_to_the_documentation(
    site: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 'href="/help/"' in site.get("/").content.decode()
    rule = site.get("/rules/PP101/").content.decode()
    assert 'href="/help/dialects/promptpack/#PP101"' in rule
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "/help/" in capsys.readouterr().out


def test_the_site_is_complete(tmp_path: Path) -> None:
    static_site.write(tmp_path)
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


PATHS: dict[str, Any] = {
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
