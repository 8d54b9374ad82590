"""The documentation: every page in the app and in the site, its links, files and commands."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from signalbox.cli import main
from workflows.help.links import broken_links
from workflows.help.markdown import navigation, rendered
from workflows.help.pages import OPENAPI, pages, search
from workflows.installation import PAGES


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
