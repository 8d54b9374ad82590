"""Output for code hosts: SARIF and the comment of a pull request."""

import copy
import json
import os
import shutil
from urllib.parse import unquote

from tests.cli.conftest import PACK, with_target
from tests.support.corpus import CORPUS
from workflows.installation import version

FINGERPRINT = "signalboxFinding/v1"


def sarif(result):
    (run,) = result.json["runs"]
    return run


def require_valid(body):
    """The properties that SARIF 2.1.0 requires, of the objects that are used."""
    assert body["version"] == "2.1.0"
    assert set(body) == {"$schema", "version", "runs"}
    for run in body["runs"]:
        assert run["tool"]["driver"]["name"]
        assert all(isinstance(one["executionSuccessful"], bool) for one in run["invocations"])
        rules = run["tool"]["driver"]["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        for rule in rules:
            assert rule["help"]["text"]
            assert rule["shortDescription"]["text"]
            assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        for result in run["results"]:
            assert result["message"]["text"]
            assert result["level"] in ("error", "warning", "note")
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
            for location in result["locations"]:
                place = location["physicalLocation"]
                assert place["region"]["startLine"] >= 1
                base = place["artifactLocation"].get("uriBaseId")
                assert base in (None, *run["originalUriBaseIds"])


def test_sarif_of_the_corpus_is_valid_and_each_result_has_its_own_fingerprint(cli, tmp_path):
    shutil.copytree(CORPUS, tmp_path / "packs")
    body = cli("check", ".", "--format", "sarif").json
    require_valid(body)
    marks = [one["partialFingerprints"][FINGERPRINT] for one in body["runs"][0]["results"]]
    assert len(marks) > 100
    assert len(set(marks)) == len(marks)


def test_sarif_names_the_tool_its_version_and_help(cli, faulty):
    run = sarif(cli("check", ".", "--format", "sarif"))
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("Signalbox", version())
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert rules.keys() == {result["ruleId"] for result in run["results"]}
    rule = rules["PP204"]
    assert rule["help"]["markdown"].startswith("**Transition to a missing state**")


def test_sarif_paths_are_relative_to_the_root_of_the_repository(
    cli, git, write, tmp_path, monkeypatch
):
    write("deep/a b#%.pack.json", with_target("nowhere"))
    monkeypatch.chdir(tmp_path / "deep")
    run = sarif(cli("check", ".", "--format", "sarif"))
    places = {
        tuple(one["locations"][0]["physicalLocation"]["artifactLocation"].items())
        for one in run["results"]
    }
    (place,) = map(dict, places)
    assert place["uriBaseId"] in run["originalUriBaseIds"]
    assert unquote(place["uri"]) == "deep/a b#%.pack.json"
    assert " " not in place["uri"]
    assert "#" not in place["uri"]


def test_a_file_outside_the_working_directory_has_its_whole_path(
    cli, faulty, tmp_path, monkeypatch
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run = sarif(cli("check", faulty, "--format", "sarif"))
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": faulty.as_uri()}


def test_a_fingerprint_stays_while_the_line_changes(cli, faulty):
    def marks():
        run = sarif(cli("check", ".", "--format", "sarif"))
        return {one["partialFingerprints"][FINGERPRINT] for one in run["results"]}, {
            one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in run["results"]
        }

    before, lines = marks()
    faulty.write_text("\n\n\n" + json.dumps(json.loads(faulty.read_text()), indent=2))
    after, moved = marks()
    assert after == before
    assert moved != lines


def rows(comment):
    """The rows of the findings, without the head of the table."""
    table = comment.split("### Coverage")[0]
    return [line for line in table.splitlines() if line.startswith("| ")][1:]


def test_one_new_fault_is_the_only_row_of_the_comment(cli, write, tmp_path):
    shutil.copytree(CORPUS / "steps-registry", tmp_path / "packs")
    write(".signalbox.toml", "profile = 'climpt'\n")
    assert cli("check", ".").code == 1
    assert cli("check", ".", "--write-baseline").code == 0
    green = cli("check", ".", "--format", "markdown")
    assert green.code == 0
    assert rows(green.out) == []
    assert "no new findings" in green.out
    registry = min(tmp_path.rglob("steps_registry.json"), key=os.fspath)
    body = json.loads(registry.read_text())
    registry.write_text(json.dumps({**body, "agentId": "another"}, indent=2))
    red = cli("check", ".", "--format", "markdown")
    assert red.code == 1
    (row,) = rows(red.out)
    assert row.startswith("| error | ")
    assert "SR102" in row
    assert "known finding" in red.out


def test_the_comment_has_coverage_and_divergences(cli, pack, write):
    replies = [{"event": "Submit"}, {"event": "Approve"}, {"text": "Published."}]
    events = cli("run", pack, "--script", write("s.json", {"replies": replies}), "--json").out
    write("runs/approved.jsonl", events)
    write(".signalbox.toml", "[verify.runs]\n'review.pack.json' = 'runs'\n")
    both = ("check", ".", "--rehearse", "--verify", "--format", "markdown")
    green = cli(*both)
    assert green.code == 0, green.out
    assert "| review.pack.json | 100% |" in green.out
    assert "1 of 1 run without divergence." in green.out
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"]["on_event"] = {"Reject": "published"}
    write("review.pack.json", body)
    red = cli(*both)
    assert red.code == 1
    assert "| runs/approved.jsonl | Event " in red.out
    listed = cli(*both[:-1], "json")
    assert listed.code == 1
    assert listed.json["coverage"]["review.pack.json"]["passes"] is True
    for options in ([], ["--quiet"], ["--format", "github"]):
        assert "approved.jsonl: diverges" in cli(*both[:-2], *options).out


def test_a_coverage_that_is_too_low_fails(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["lonely"] = {"prompt_task": "draft", "on_event": {"Go": "review"}}
    write("lonely.pack.json", body)
    assert cli("check", ".").code == 0
    result = cli("check", ".", "--rehearse", "--format", "markdown")
    assert result.code == 1
    assert "**too low:** 75%" in result.out
    annotations = cli("check", ".", "--rehearse", "--format", "github").out.splitlines()
    assert "::error title=Signalbox::lonely.pack.json: coverage 75%" in annotations[-1]
    assert "lonely|Go|review" in annotations[-1]
    write(".signalbox.toml", "[rehearse]\nmin-coverage = 75\n")
    assert cli("check", ".", "--rehearse").code == 0


def test_texts_of_a_pack_are_no_markup(cli, write):
    target = "x|y\n| a | b |\n<img src=x> @team #1 ![i](http://example.org) `c` www.example.org"
    write("bad.pack.json", with_target(target))
    comment = cli("check", ".", "--format", "markdown").out
    found = rows(comment)
    assert len(found) == len([row for row in found if row.startswith(("| error", "| hint", "| w"))])
    for markup in ("<img", "@team", "#1", "](", "http://", "www.example", " `c`"):
        assert markup not in comment.replace("`signalbox check", ""), markup
    assert comment.startswith("<!-- signalbox -->\n")


def test_a_comment_stays_short(cli, write):
    for number in range(70):
        write(f"bad{number}.pack.json", with_target("nowhere" + "x" * 5_000))
    comment = cli("check", ".", "--format", "markdown").out
    assert len(rows(comment)) == 50
    assert "more are in the log" in comment
    assert len(comment.encode()) < 65_000


def test_the_comment_draws_the_changed_graphs(cli, git, write):
    write("one.pack.json", PACK)
    write("same.pack.json", PACK)
    base = git.commit()
    body = copy.deepcopy(PACK)
    states = body["workflow"]["states"]
    states["audit"] = {"prompt_task": "review", "on_event": {"Done": "published"}}
    states["review"]["on_event"]["Approve"] = "audit"
    write("one.pack.json", body)
    write("new.pack.json", {**PACK, "id": "new", "name": "Fence ```\nend"})
    git.commit()
    comment = cli("check", ".", "--since", base, "--format", "markdown").out
    drawn = comment.partition("### Changes")[2]
    assert drawn.count("```mermaid\n") == drawn.count("\n```\n") == 2
    one = drawn.partition("**one.pack.json**")[2]
    assert '["audit"]:::added' in one
    assert '-->|"Approve"|' in one
    assert '-.->|"Approve"|' in one
    assert "linkStyle" in one
    assert '["draft"]' not in one, "a state without a change near it"
    assert "same.pack.json" not in drawn
    assert "mermaid" not in cli("check", ".", "--format", "markdown").out


def test_drawings_do_not_make_a_comment_too_long(cli, git, write):
    write("README.md", "Text.\n")
    base = git.commit()
    for number in range(60):
        body = json.loads(json.dumps(PACK).replace("review", "review" + "x" * 300))
        write(f"{number}.pack.json", body)
    git.commit()
    comment = cli("check", ".", "--since", base, "--format", "markdown").out
    assert len(comment.encode()) < 65_000
    assert "not drawn: the comment is too long" in comment


def test_several_formats_come_from_one_run(cli, write, tmp_path):
    write("one.pack.json", with_target("nowhere"))
    places = {name: tmp_path / f"out.{name}" for name in ("json", "sarif", "github", "markdown")}
    options = [word for name, place in places.items() for word in ("--output", f"{name}={place}")]
    result = cli("check", ".", *options)
    assert result.code == 1
    assert "nowhere" in result.out
    for name, place in places.items():
        alone = cli("check", ".", "--format", name).out
        assert place.read_text() == alone
    refused = cli("check", ".", "--output", f"sarif={tmp_path}/none/out.sarif")
    assert (refused.code, "cannot be written" in refused.err) == (2, True)
    assert "is not json, sarif" in cli("check", ".", "--output", "xml=a").err


def test_agent_files_of_other_programs_are_named(cli, write):
    write("AGENTS.md", "# Agents\n")
    write(".claude/agents/reviewer.md", "---\nname: reviewer\n---\n")
    result = cli("check", ".")
    assert result.code == 2
    assert "not packs: AGENTS.md, .claude/agents/reviewer.md." in result.err
