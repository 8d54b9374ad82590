"""`signalbox init`: new files, and additions to those of a project."""

from __future__ import annotations

import pytest

OTHER = b'\xef\xbb\xbf{\r\n\t"mcpServers": {"docs": {"command": "x"}},\r\n\t"kept": 1.50\r\n}'
ALL = "mcp", "skill", "agents"


def test_a_new_project_gets_all_and_a_second_call_nothing(cli, tmp_path):
    (tmp_path / ".claude").mkdir()
    first = cli("init", *ALL, "--folder", str(tmp_path))
    assert (first.code, first.out.count("added ")) == (0, 4)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert b'"mcp"' in files[tmp_path / ".mcp.json"]
    skills = [path for path in files if path.name == "SKILL.md"]
    assert len({files[path] for path in skills}) == 1
    assert len(skills) == 2
    again = cli("init", *ALL, "--folder", str(tmp_path))
    assert (again.code, again.out.count("unchanged ")) == (0, 4)
    assert files == {path: path.read_bytes() for path in files}


def test_files_of_a_project_keep_their_bytes(cli, tmp_path):
    (tmp_path / ".mcp.json").write_bytes(OTHER)
    (tmp_path / "CLAUDE.md").write_bytes(b"# Mine\r\n\r\nText")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    assert cli("init", "mcp", "agents", "--folder", str(tmp_path)).code == 0
    servers = (tmp_path / ".mcp.json").read_bytes()
    assert servers.startswith(OTHER[: OTHER.index(b"}}") + 1])
    assert servers.endswith(b'"kept": 1.50\r\n}')
    assert b'"signalbox"' in servers
    assert (tmp_path / "AGENTS.md").is_symlink()
    agents = (tmp_path / "CLAUDE.md").read_bytes()
    assert agents.startswith(b"# Mine\r\n\r\nText\r\n\r\n## Agent workflows\r\n")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (".mcp.json", "{", "is no JSON object"),
        (".mcp.json", '{"mcpServers": []}', "is no JSON object"),
        (".mcp.json", "[]", "is no JSON object"),
        (".agents/skills/signalbox/SKILL.md", "mine", "exists with another text"),
    ],
)
def test_an_unusable_file_stops_all(cli, tmp_path, name, text, words):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    refused = cli("init", *ALL, "--folder", str(tmp_path))
    assert refused.code == 2
    assert words in refused.err
    assert file.read_text() == text
    assert not (tmp_path / "AGENTS.md").exists()
