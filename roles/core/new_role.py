"""Initial prompt config of a new role."""

from __future__ import annotations

from typing import Any

COLOR = "#5449d0"


def blank_config() -> dict[str, Any]:
    """A prompt config without problems, short enough to be replaced."""
    return {
        "system_prompt": (
            "You are {{ role_local.name }} in the project {{ project.name }}. "
            "Say here who that is, what they answer for, and what they leave to others."
        ),
        "developer_prompt": "",
        "templates": {
            "ticket_task": (
                "# {{ ticket.title }}\n\n{{ ticket.description }}\n\n"
                "It is done when:\n{{ ticket.acceptance_criteria }}"
            ),
            "chat_task": "{{ chat.message }}",
            "gate_eval": (
                "Decide from the evidence whether this work may go on.\n\n"
                "Criteria:\n{{ gate.criteria }}\n\n"
                "Evidence from the step before:\n{{ gate.previous_output }}"
            ),
        },
        "output_templates": {
            "agent_done": "What was done, how it was checked, and what is still open.",
            "gate_pass": "PASS, then one line per criterion with the evidence that shows it.",
            "gate_fail": "FAIL, then a numbered list of what has to change.",
        },
        "memory_profile": {"core_focus": [], "project_focus": [], "priority_categories": []},
    }
