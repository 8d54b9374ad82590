"""The offline audit, with advisories written here against versions that are really locked."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scripts.audit import locked, main
from scripts.locked_packages import Ecosystem

NOW = datetime(2026, 11, 20, tzinfo=UTC)
VERSIONS = {(package.ecosystem, package.name): package.version for package in locked()}
DJANGO = VERSIONS["PyPI", "django"]
REACT = VERSIONS["npm", "react"]


def advisory(
    id: str, ecosystem: Ecosystem, name: str, *events: dict[str, str], **more: Any
) -> dict[str, Any]:
    kind = "SEMVER" if ecosystem == "npm" else "ECOSYSTEM"
    affected: dict[str, Any] = {"package": {"ecosystem": ecosystem, "name": name}}
    affected["versions"] = more.pop("versions", [])
    if events:
        affected["ranges"] = [{"type": kind, "events": list(events)}]
    body = {"id": id, "modified": "2026-11-19T08:00:00Z", "affected": [affected]}
    return {**body, "summary": "An example.", **more}


HARMLESS = [
    advisory("TEST-1", "PyPI", "no-such-package", {"introduced": "0"}),
    advisory("TEST-2", "npm", "no-such-package", {"introduced": "0"}),
]


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*records: Any, harmless: bool = True) -> tuple[int, str]:
        path = tmp_path / "advisories.json"
        path.write_text(json.dumps([*records, *(HARMLESS if harmless else ())]))
        code = main([str(path)], now=NOW)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def test_an_audit_without_hits_reports_its_date_and_counts(audit: Any) -> None:
    code, text = audit()
    assert code == 0
    assert "Newest advisory: 2026-11-19." in text
    python = sum(ecosystem == "PyPI" for ecosystem, _ in VERSIONS)
    assert f"PyPI: 1 advisories, {python} locked packages." in text
    assert "npm: 1 advisories, " in text
    assert "Warning" not in text


@pytest.mark.parametrize(
    ("ecosystem", "name", "version"),
    [("PyPI", "Django", DJANGO), ("npm", "react", REACT)],
    ids=["PyPI", "npm"],
)
@pytest.mark.parametrize(
    ("events", "versions", "fix"),
    [
        ([{"introduced": "0"}, {"fixed": "9999.1"}], [], "fixed in 9999.1"),
        ([{"introduced": "{}"}], [], "no fixed version"),
        ([{"introduced": "0"}, {"last_affected": "{}"}], [], "no fixed version"),
        ([{"fixed": "9998.0.0"}, {"introduced": "0.1"}], [], "fixed in 9998.0.0"),
        (
            [
                {"introduced": "0"}, {"fixed": "0.5.0"},
                {"introduced": "1.0.0"}, {"fixed": "9997.0.0"},
            ],
            [],
            "fixed in 9997.0.0",
        ),
        ([], ["0.0.1", "{}", "no version"], "no fixed version"),
    ],
)  # fmt: skip
def test_an_affected_version_is_a_hit(
    audit: Any, ecosystem: Any, name: str, version: str, events: Any, versions: Any, fix: str
) -> None:
    given = [{kind: text.format(version) for kind, text in event.items()} for event in events]
    listed = [text.format(version) for text in versions]
    record = advisory("TEST-3", ecosystem, name, *given, versions=listed, aliases=["CVE-0"])
    code, text = audit(record)
    assert code == 1
    assert f"TEST-3, CVE-0: {ecosystem} {name.lower()} {version}, {fix}. An example." in text


@pytest.mark.parametrize(
    "events",
    [
        [{"introduced": "0"}, {"fixed": "{}"}],
        [{"introduced": "0"}, {"last_affected": "0.0.1"}],
        [{"introduced": "9999.0.0"}],
        [{"introduced": "0"}, {"fixed": "0.1.0"}, {"introduced": "9999.0.0"}],
    ],
)
def test_another_version_is_no_hit(audit: Any, events: Any) -> None:
    for ecosystem, name, version in (("PyPI", "django", DJANGO), ("npm", "react", REACT)):
        given = [{kind: text.format(version) for kind, text in event.items()} for event in events]
        assert audit(advisory("TEST-4", ecosystem, name, *given))[0] == 0


def test_a_withdrawn_advisory_is_no_hit(audit: Any) -> None:
    record = advisory("TEST-5", "PyPI", "django", {"introduced": "0"})
    assert audit({**record, "withdrawn": "2026-11-19T09:00:00Z"})[0] == 0


@pytest.mark.parametrize(
    "records", [[], HARMLESS[:1], HARMLESS[1:]], ids=["nothing", "Python only", "npm only"]
)
def test_a_file_without_an_ecosystem_is_no_audit(audit: Any, records: list[Any]) -> None:
    code, text = audit(*records, harmless=False)
    assert code == 2
    assert "No audit: " in text
    assert "match" not in text


def test_advisories_that_cannot_be_compared_are_listed(audit: Any) -> None:
    unreadable = [{"id": 7}, advisory("TEST-6", "PyPI", "django", {"introduced": "not a version"})]
    code, text = audit(*unreadable)
    assert code == 2
    assert text.count("Not compared: ") == 2
    assert "TEST-6 for django" in text


def test_an_old_file_is_a_warning(audit: Any) -> None:
    old = [{**record, "modified": "2026-10-01T00:00:00Z"} for record in HARMLESS]
    code, text = audit(*old, harmless=False)
    assert code == 0
    assert "Warning: the newest advisory is 50 days old." in text


def test_archives_and_folders_are_read_too(tmp_path: Path) -> None:
    hit = advisory("TEST-7", "npm", "react", {"introduced": "0"})
    with zipfile.ZipFile(tmp_path / "npm.zip", "w") as archive:
        archive.writestr("TEST-7.json", json.dumps(hit))
    folder = tmp_path / "PyPI"
    folder.mkdir()
    (folder / "TEST-1.json").write_text(json.dumps(HARMLESS[0]))
    assert main([str(tmp_path / "npm.zip"), str(folder)], now=NOW) == 1


def test_a_missing_file_is_no_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "missing.zip")]) == 2
    assert "does not exist" in capsys.readouterr().err
