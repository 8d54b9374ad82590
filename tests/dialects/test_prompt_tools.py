"""The tools that a prompt can name, for completion in each dialect."""

from __future__ import annotations

from tests.support.checks import each_row
from workflows.core.dialects import dialects

TOOLS = {
    ("promptpack", "customer-support", "state:answer"): {"search_help", "look_up_order"},
    ("promptpack", "customer-support", "prompt:answer"): {"search_help", "look_up_order"},
    ("promptpack", "customer-support", "state:goodbye"): set(),
    ("stages", "review-loop", "state:review"): {"submit_review"},
    ("agent_graph", "feature-team", "state:lead"): {"send_handoff", "spawn_node", "read_file"},
    ("steps_registry", "review-loop", "state:draft"): set(),
}


@each_row(TOOLS.items())
def test_a_prompt_names_the_tools_that_it_can_call(
    place: tuple[str, str, str], tools: set[str]
) -> None:
    name, sample, element = place
    dialect = dialects()[name]
    form = dialect.fields(dialect.read(dialect.samples()[sample]), element, dialect.profiles[0])
    assert form.prompt is not None
    named = {one.name: one.kind for one in form.prompt.tools}
    assert set(named.values()) <= {"tool"}
    assert tools <= set(named) if tools else not named
