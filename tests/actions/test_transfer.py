"""Between folders and the database: only the pack's own files are ever written."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from tests.support.flow_dialect import flow
from tests.support.server_fixtures import stored
from workflows.errors import BadRequest, CallerError, NotThere
from workflows.management.transfer import export_pack, find_pack, import_path
from workflows.models import Pack

GOOD = flow("A", A={})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "in"
    (here / "sub").mkdir(parents=True)
    (here / "sub" / "one.flow.json").write_bytes(GOOD)
    (here / "readme.md").write_bytes(b"no pack")
    (here / ".git").mkdir()
    (here / ".git" / "two.flow.json").write_bytes(GOOD)
    (here / "link.flow.json").symlink_to("/etc/hostname")
    return here


def test_a_folder_is_imported_without_links_and_git(folder: Path) -> None:
    taken = import_path(folder)
    assert [pack.main for pack in taken.packs] == ["sub/one.flow.json"]
    assert taken.ignored == ("readme.md",)
    assert taken.packs[0].origin == str(folder)


def test_a_file_is_imported(folder: Path) -> None:
    assert import_path(folder / "sub" / "one.flow.json").packs[0].name == "one"


@pytest.mark.parametrize("path", ["none", "readme.md"])
def test_impossible_imports_are_reported(folder: Path, path: str) -> None:
    with pytest.raises(CallerError):
        import_path(folder / path)
    assert not Pack.objects.exists()


def test_an_export_writes_the_same_bytes_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    pack = import_path(folder).packs[0]
    out = tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    (out / "sub" / "mine.txt").write_bytes(b"mine")
    assert export_pack("one", out) == [out / "sub" / "one.flow.json"]
    assert (out / "sub" / "one.flow.json").read_bytes() == GOOD
    assert (out / "sub" / "mine.txt").read_bytes() == b"mine"
    assert export_pack(pack.pk, out), "the same bytes may be there already"


def test_an_export_never_overwrites_other_bytes_unasked(folder: Path, tmp_path: Path) -> None:
    import_path(folder)
    target = tmp_path / "sub" / "one.flow.json"
    target.parent.mkdir()
    target.write_bytes(b"somebody's")
    with pytest.raises(BadRequest, match="already exists") as refused:
        export_pack("one", tmp_path)
    assert "--force" in refused.value.hint
    assert target.read_bytes() == b"somebody's"
    export_pack("one", tmp_path, force=True)
    assert target.read_bytes() == GOOD


def test_an_export_never_leaves_its_folder(folder: Path, tmp_path: Path) -> None:
    import_path(folder)
    (tmp_path / "outside").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to(tmp_path / "outside")
    with pytest.raises(BadRequest):
        export_pack("one", tmp_path / "out", force=True)
    assert not list((tmp_path / "outside").iterdir())


def test_a_pack_is_found_by_number_or_by_its_only_name(folder: Path) -> None:
    first, second = import_path(folder).packs[0], import_path(folder).packs[0]
    assert find_pack(first.pk) == first
    with pytest.raises(NotThere, match="Several") as several:
        find_pack("one")
    assert str(second.pk) in several.value.hint
    with pytest.raises(NotThere, match="no pack"):
        find_pack("none")


def test_a_pack_is_found_by_number_and_by_name_in_any_case(ada: User) -> None:
    review, other = stored(GOOD, ada, "Review.flow.json"), stored(GOOD, ada, "Ärger.flow.json")
    assert find_pack(review.pk) == find_pack("Review") == find_pack("rEVIEW") == review
    assert find_pack("äRGER") == other


def test_the_exact_spelling_wins_and_otherwise_all_that_match_are_named(ada: User) -> None:
    first, second = stored(GOOD, ada, "Review.flow.json"), stored(GOOD, ada, "review.flow.json")
    assert find_pack("review") == second
    with pytest.raises(NotThere, match="Several packs are named 'REVIEW'") as refused:
        find_pack("REVIEW")
    assert refused.value.hint == f"Use a number: {first.pk} (Review), {second.pk} (review)."
