"""Imports: packs or an error message, never a partial import, never a traceback."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.flow_dialect import flow
from workflows.core.pack.files import MAX_FILE_BYTES
from workflows.models import Blob, Pack, Revision, State

ADDRESS = "/api/v1/import/"
GOOD = flow("A", A={"Go": "B"}, B={})
DEEP = b'{"states": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"


def zipped(
    files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None
) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            if change:
                change(entry)
            archive.writestr(entry, data)
    return made.getvalue()


def as_link(entry: zipfile.ZipInfo) -> None:
    entry.external_attr = 0xA1FF << 16


def upload(site: Client, *files: tuple[str, bytes], paths: list[str] | None = None) -> Any:
    body: dict[str, Any] = {"files": [SimpleUploadedFile(name, data) for name, data in files]}
    if paths is not None:
        body["paths"] = paths
    return site.post(ADDRESS, body)


def test_files_keep_the_paths_they_came_with(site: Client) -> None:
    answer = upload(
        site,
        ("a.flow.json", GOOD),
        ("n.md", b"note"),
        ("readme.md", b"no pack"),
        paths=["in/a.flow.json", "in/a.flow.json.notes/n.md", "readme.md"],
    )
    body = answer.json()
    assert answer.status_code == 201
    assert [card["main"] for card in body["packs"]] == ["in/a.flow.json"]
    assert body["ignored"] == ["readme.md"]


def test_a_zip_is_unpacked_and_every_pack_in_it_found(site: Client) -> None:
    data = zipped({"x/one.flow.json": GOOD, "y/two.flow.json": GOOD, "inner.zip": zipped({})})
    body = upload(site, ("all.zip", data)).json()
    assert [card["name"] for card in body["packs"]] == ["one", "two"]
    assert body["ignored"] == ["inner.zip"], "archives inside are left alone"


def test_a_text_is_taken_in(site: Client) -> None:
    body = {"text": GOOD.decode(), "name": "typed.flow.json"}
    answer = site.post(ADDRESS, body, content_type="application/json")
    assert answer.json()["packs"][0]["name"] == "typed"


def test_a_wrong_pack_is_taken_in_with_findings(site: Client) -> None:
    for wrong in (b"{", b"\xff\xfe", DEEP, b"[]", b"null", b'{"states": 7}'):
        answer = upload(site, ("w.flow.json", wrong))
        assert answer.status_code == 201, wrong[:10]
        card = answer.json()["packs"][0]
        export = site.get(f"/api/v1/packs/{card['id']}/export/")
        assert export.content == wrong, "bad bytes come back as they went in"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pack.json", b"not json at all"),
        ("pack.json", b"\xff\xfe\x00"),
        ("pack.json", DEEP),
        ("pack.yaml", b"a: &a [*a]\n" * 3),
        ("steps_registry.json", b"{"),
        ("steps_registry.json", DEEP),
        ("pack.json", b'{"id": "x", "version": "1", "prompts": {"a": 7}}'),
        ("pack.json", b'{"id": 1, "version": [], "prompts": {}, "workflow": {"states": 3}}'),
        (
            "pack.json",
            b'{"prompts": {}, "workflow": {"states": {"a": {"on_event": 7}}}}',
        ),
        ("empty.json", b""),
        ("hello.txt", b"hello"),
    ],
)
def test_any_file_gives_a_finding_or_a_sentence(site: Client, name: str, data: bytes) -> None:
    answer = upload(site, (name, data))
    body = answer.json()
    if answer.status_code == 201:
        assert body["packs"][0]["errors"] > 0
        assert all(finding["message"] for finding in body["findings"])
    else:
        assert answer.status_code == 422
        assert body["message"].endswith(".")
        assert body["hint"]
        assert not Pack.objects.exists()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (zipped({"../evil.flow.json": GOOD}), "inside its folder"),
        (zipped({"/etc/evil.flow.json": GOOD}), "inside its folder"),
        (zipped({"a/../../b.flow.json": GOOD}), "inside its folder"),
        (zipped({"a\\..\\b.flow.json": GOOD, "c": b""}), "inside its folder"),
        (zipped({"a.flow.json": b"0" * 15_000_000}), "far more bytes"),
        (zipped({f"{n}.txt": b"" for n in range(5_001)}), "5,000"),
        (
            zipped({"a.flow.json": b"/etc/passwd"}, as_link),
            "symbolic link",
        ),
        (b"PK\x03\x04 and then nothing", "not a zip"),
        (zipped({"a.flow.json": GOOD})[:-20], "not a zip"),
    ],
)
def test_an_unsafe_archive_is_refused(site: Client, data: bytes, told: str) -> None:
    answer = upload(site, ("a.zip", data))
    assert answer.status_code in (413, 422)
    assert told in answer.json()["message"]
    assert not Blob.objects.exists()


@pytest.mark.parametrize("path", ["../a.flow.json", "/a.flow.json", ".git/a.flow.json", "a//b", ""])
def test_an_unsafe_path_is_refused(site: Client, path: str) -> None:
    answer = upload(site, ("a.flow.json", GOOD), paths=[path])
    assert answer.status_code in (400, 422)
    assert not Pack.objects.exists()


def test_two_files_of_one_path_are_refused(site: Client) -> None:
    answer = upload(site, ("a", GOOD), ("b", GOOD), paths=["x.flow.json", "x.flow.json"])
    assert answer.status_code == 422


def test_a_large_file_is_refused_whole(site: Client) -> None:
    answer = upload(site, ("a.flow.json", b" " * (MAX_FILE_BYTES + 1)))
    assert (answer.status_code, answer.json()["code"]) == (413, "bad_files")
    assert not Pack.objects.exists()


def test_a_text_over_the_limit_is_refused(site: Client) -> None:
    body = json.dumps({"text": "x" * (MAX_FILE_BYTES + 1)})
    answer = site.post(ADDRESS, body, content_type="application/json")
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 10_000 + b"]" * 10_000,
        b'{"text": "\\ud800"}',
        b'{"text": NaN}',
        b'{"name": "a"}',
        b'{"text": 7}',
        b"[1]",
        b'"text"',
        b"null",
        b"7",
    ],
)
def test_an_invalid_body_is_refused_with_a_message(site: Client, body: bytes) -> None:
    answer = site.post(ADDRESS, body, content_type="application/json")
    told = answer.json()
    assert answer.status_code in (400, 422)
    assert set(told) == {"code", "message", "hint", "where"}
    assert told["message"]
    assert "Traceback" not in answer.content.decode()


def test_one_bad_pack_leaves_nothing_half_saved(site: Client, monkeypatch: Any) -> None:
    from workflows.actions import packs

    real = packs._create

    def fails_for_two(*args: Any, **kwargs: Any) -> Pack:
        if kwargs["main"].startswith("two"):
            raise RuntimeError("the disk is full")
        return real(*args, **kwargs)

    monkeypatch.setattr(packs, "_create", fails_for_two)
    data = zipped({"one.flow.json": GOOD, "two.flow.json": GOOD})
    answer = upload(site, ("a.zip", data))
    body = answer.json()
    assert (answer.status_code, body["code"]) == (500, "internal")
    assert "disk" not in answer.content.decode(), "what went wrong inside stays inside"
    assert not any(model.objects.exists() for model in (Pack, Revision, State, Blob))
