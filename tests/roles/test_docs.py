"""docs/roles.md matches the code."""

from __future__ import annotations

from pathlib import Path

from roles import rendering
from roles.core.memory_tools import TOOLS
from roles.core.prompt_config import FOCUS_LISTS, OUTPUT_TEMPLATES, PARTS, TEMPLATES
from roles.core.verdict import TOOL
from roles.rendering import child
from roles.system_role_files import shipped_roles

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "roles.md").read_text()


def test_it_names_every_key_tool_and_shipped_role() -> None:
    keys = {*PARTS, *TEMPLATES, *OUTPUT_TEMPLATES, *FOCUS_LISTS}
    tools = {tool.name for tool in TOOLS} | {TOOL["name"]}
    roles = {shipped.name.lower() for shipped in shipped_roles()}
    assert {name for name in keys | tools | roles if name not in DOCUMENT} == set()


def test_the_page_lists_the_limits_of_templates() -> None:
    assert (
        f"{rendering.SECONDS} seconds, {child.MEMORY >> 20} MB or a million characters" in DOCUMENT
    )
    assert child.OUTPUT == 1_000_000
