"""`signalbox merge`, as the merge driver of a real git."""

import copy
import json
import subprocess
import sys

import pytest

from tests.cli.conftest import PACK, with_target
from tests.support.live_server import ROOT


def text(value):
    return json.dumps(value, indent=2) + "\n"


def changed(**prompts):
    """The pack with other system templates."""
    body = copy.deepcopy(PACK)
    for name, template in prompts.items():
        body["prompts"][name]["system_template"] = template
    return body


@pytest.fixture
def merge(cli, write):
    def merging(base, ours, theirs):
        files = [
            write(name, value) for name, value in zip("oab", (base, ours, theirs), strict=True)
        ]
        done = cli("merge", *files, "--path", "review.pack.json")
        return done, files[1].read_text()

    return merging


def test_values_on_one_line_are_merged(merge):
    base, ours = json.dumps(PACK), json.dumps({**PACK, "name": "Ours"})
    theirs = json.dumps({**PACK, "version": "9.9.9"})
    done, result = merge(base, ours, theirs)
    assert done.code == 0, done.out
    assert json.loads(result) == {**PACK, "name": "Ours", "version": "9.9.9"}


def test_one_value_changed_twice_is_a_conflict_with_markers(merge):
    first, *_ = PACK["prompts"]
    base, ours, theirs = (text(changed(**{first: words})) for words in ("Before", "Ours", "Theirs"))
    done, result = merge(base, ours, theirs)
    assert done.code == 1
    assert f"both sides changed /prompts/{first}/system_template differently." in done.out
    assert "<<<<<<< ours" in result
    assert ">>>>>>> theirs" in result


def test_a_merge_that_breaks_the_pack_is_a_conflict(merge):
    """One side renames a state, the other one adds a transition to it."""
    base = copy.deepcopy(PACK)
    renamed = json.loads(text(base).replace('"published"', '"finished"'))
    linked = copy.deepcopy(base)
    linked["workflow"]["states"]["draft"]["on_event"]["Skip"] = "published"
    done, result = merge(text(base), text(renamed), text(linked))
    assert done.code == 1
    assert "new error" in done.out
    assert '"finished"' in result
    assert '"Skip": "published"' in result


def test_an_error_of_one_side_is_no_conflict(merge):
    done, _ = merge(text(PACK), text(with_target("nowhere")), text({**PACK, "name": "Theirs"}))
    assert done.code == 0, done.out


def test_git_calls_the_driver(git, write):
    driver = f"{sys.executable} -m signalbox merge %O %A %B --path %P --marker-size %L"
    git("config", "merge.signalbox.driver", f"PYTHONPATH={ROOT} {driver}")
    write(".gitattributes", "*.pack.json merge=signalbox\n")
    write("review.pack.json", json.dumps(PACK))
    git.commit()
    git("switch", "--quiet", "--create", "theirs")
    write("review.pack.json", json.dumps({**PACK, "version": "9.9.9"}))
    git.commit()
    git("switch", "--quiet", "main")
    write("review.pack.json", json.dumps({**PACK, "name": "Ours"}))
    git.commit()
    git("merge", "--quiet", "--no-edit", "theirs")
    merged = json.loads(git("show", "HEAD:review.pack.json"))
    assert merged == {**PACK, "name": "Ours", "version": "9.9.9"}
    write("review.pack.json", json.dumps({**PACK, "name": "Other"}))
    git.commit()
    git("switch", "--quiet", "theirs")
    write("review.pack.json", json.dumps({**PACK, "name": "Theirs"}))
    git.commit()
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "--quiet", "--no-edit", "main")
    assert git("diff", "--name-only", "--diff-filter=U") == "review.pack.json"
