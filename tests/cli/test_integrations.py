"""Files for pre-commit, GitHub and GitLab: their content, and their commands in a repository."""

import json
import os
import shlex
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from signalbox.arguments import parser
from tests.cli.conftest import PACK, with_target
from tests.support.live_server import ROOT


def read(name):
    return yaml.safe_load((ROOT / name).read_text())


@pytest.fixture
def change(git, write):
    """A repository whose last commit breaks one of two packs. The commit before it."""
    write("one.pack.json", PACK)
    write("two.pack.json", with_target("unknown"))
    write("README.md", "Text.\n")
    base = git.commit()
    write("one.pack.json", with_target("nowhere"))
    git.commit()
    return base


@pytest.mark.parametrize("hook", read(".pre-commit-hooks.yaml"), ids=lambda hook: hook["id"])
def test_a_hook_checks_the_packs_of_the_given_files(shell, change, hook):
    command = shlex.split(hook["entry"])
    assert command[0] == "signalbox"
    assert hook["require_serial"] is True
    red = shell(*command, "README.md", "one.pack.json")
    assert red.returncode == 1, red.stderr
    assert "nowhere" in red.stdout
    assert "unknown" not in red.stdout
    assert shell(*command, "README.md").returncode == 0


def test_pre_commit_accepts_the_hooks():
    for hook in read(".pre-commit-hooks.yaml"):
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "system"


def github(shell, tmp_path, base, **variables):
    """The check step of the action."""
    places = {"SARIF": "signalbox.sarif", "COMMENT": "comment.md", "GITHUB_STEP_SUMMARY": "sum.md"}
    return shell(
        str(ROOT / "integrations/github-check.sh"), **places, SINCE=base, PATHS=".", **variables
    )


def test_the_action_names_scripts_and_inputs_that_exist():
    action = read("action.yml")
    assert action["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text()
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "Values reach the shell as variables only."
        for value in step.get("env", {}).values():
            if "inputs." in value:
                assert value.split("inputs.")[1].split()[0] in action["inputs"]
    for name in ("integrations/github-check.sh", "integrations/github-comment.sh"):
        assert f"$GITHUB_ACTION_PATH/{name}" in text
        assert os.access(ROOT / name, os.X_OK)
        assert subprocess.run(["bash", "-n", ROOT / name], check=False).returncode == 0
        assert len((ROOT / name).read_text().splitlines()) < 20
    assert (ROOT / "distributions/cli/pyproject.toml").is_file()


def test_the_action_annotates_and_writes_sarif_and_the_comment(shell, change, tmp_path):
    done = github(shell, tmp_path, change)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=one.pack.json,line=")
    assert "two.pack.json" not in done.stdout
    results = yaml.safe_load((tmp_path / "signalbox.sarif").read_text())["runs"][0]["results"]
    assert results
    comment = (tmp_path / "comment.md").read_text()
    assert "nowhere" in comment
    assert (tmp_path / "sum.md").read_text() == comment


def test_the_action_takes_options_by_line(shell, change, tmp_path):
    assert github(shell, tmp_path, change, OPTIONS="--fail-on\nnever\n").returncode == 0
    assert "two.pack.json" in github(shell, tmp_path, "").stdout
    odd = github(shell, tmp_path, "$(touch made)", OPTIONS="`touch made`")
    assert odd.returncode == 2
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(("listed", "method"), [("", "POST"), ("17\n18", "PATCH")])
def test_the_comment_is_written_once_and_then_updated(shell, tmp_path, listed, method):
    log = tmp_path / "calls"
    gh = shell.programs / "gh"
    gh.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {log}\ncase "$*" in *--jq*) printf "{listed}" ;; esac\n'
    )
    gh.chmod(0o755)
    (tmp_path / "comment.md").write_text("<!-- signalbox -->\n")
    done = shell(
        str(ROOT / "integrations/github-comment.sh"),
        COMMENT="comment.md",
        NUMBER="5",
        GITHUB_REPOSITORY="owner/name",
    )
    assert done.returncode == 0, done.stderr
    calls = log.read_text().splitlines()
    place = "issues/comments/17" if listed else "issues/5/comments"
    assert len(calls) == 2
    assert calls[1] == (
        f"api --silent --method {method} repos/owner/name/{place} --field body=@comment.md"
    )


def gitlab(shell, job, base, **more):
    """The job's script, as GitLab runs it."""
    script = "\n".join(["set -e", *job["script"]])
    variables = {**job["variables"], "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    return shell("bash", "-c", script, **variables, **more)


class Notes(BaseHTTPRequestHandler):
    """The comments of one merge request, as GitLab's API has them."""

    def do_GET(self):
        assert self.headers["PRIVATE-TOKEN"] == "secret"
        page = self.path.endswith("page=1")
        is_user = self.path == "/api/v4/user"
        self.answer({"id": 7} if is_user else self.server.notes if page else [])

    def do_POST(self):
        assert self.path == "/api/v4/projects/3/merge_requests/5/notes"
        self.server.notes.append({"id": 21, "author": {"id": 7}, **self.sent()})
        self.answer({})

    def do_PUT(self):
        number = int(self.path.rpartition("/")[2])
        next(one for one in self.server.notes if one["id"] == number).update(self.sent())
        self.answer({})

    def sent(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, body):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def notes():
    """A server with a comment of another user that begins with the mark."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Notes)
    server.notes = [{"id": 20, "author": {"id": 8}, "body": "<!-- signalbox --> of another user"}]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_the_job_of_gitlab_checks_and_writes_one_comment(
    shell, change, notes, write, git, tmp_path
):
    job = read("integrations/gitlab-ci.yml")["signalbox"]
    merge_request = {
        "CI_API_V4_URL": f"http://127.0.0.1:{notes.server_port}/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "5",
        "SIGNALBOX_TOKEN": "secret",
    }
    assert job["variables"]["GIT_DEPTH"] == "0"
    done = gitlab(shell, job, change, **merge_request)
    assert done.returncode == 1, done.stderr
    assert "nowhere" in done.stdout
    report = (tmp_path / job["artifacts"]["reports"]["junit"]).read_text()
    assert "one.pack.json" in report
    assert "two.pack.json" not in report
    assert len(notes.notes) == 2
    assert "nowhere" in notes.notes[1]["body"]
    assert "```mermaid" in notes.notes[1]["body"]
    write("one.pack.json", PACK)
    git.commit()
    assert gitlab(shell, job, change, **merge_request).returncode == 0
    assert len(notes.notes) == 2
    assert "nowhere" not in notes.notes[1]["body"]
    assert notes.notes[0]["body"].endswith("of another user")


@pytest.mark.slow
def test_a_comment_that_gitlab_refuses_leaves_the_result_of_the_check(shell, change):
    job = read("integrations/gitlab-ci.yml")["signalbox"]
    place = {"CI_API_V4_URL": "http://127.0.0.1:9/api/v4", "CI_PROJECT_ID": "3"}
    done = gitlab(shell, job, change, **place, CI_MERGE_REQUEST_IID="5", SIGNALBOX_TOKEN="secret")
    assert done.returncode == 1
    assert "GitLab cannot be reached" in done.stderr
    assert "secret" not in done.stderr


def test_every_command_in_the_guide_can_be_read():
    text = (ROOT / "docs/ci.md").read_text()
    lines = [line.strip() for line in text.splitlines()]
    commands = [line.split(" #")[0] for line in lines if line.startswith("signalbox ")]
    assert len(commands) > 2
    for command in commands:
        parser().parse_args(shlex.split(command)[1:])


def test_the_examples_of_the_guide_are_yaml_and_name_what_exists():
    text = (ROOT / "docs/ci.md").read_text()
    blocks = [part.partition("```")[0] for part in text.split("```yaml\n")[1:]]
    workflow, gitlab, hooks = map(yaml.safe_load, blocks)
    steps = workflow["jobs"]["signalbox"]["steps"]
    action = next(step for step in steps if step.get("uses", "").endswith("signalbox@v0.1.0"))
    assert set(action["with"]) <= set(read("action.yml")["inputs"])
    assert set(gitlab["signalbox"]) <= set(read("integrations/gitlab-ci.yml")["signalbox"])
    known = {hook["id"] for hook in read(".pre-commit-hooks.yaml")}
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} <= known
