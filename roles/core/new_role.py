"""Initial prompt config of a new role."""

from __future__ import annotations

from typing import Any

COLOR = "#5449d0"


def blank_config() -> dict[str, Any]:
    """A prompt config without problems, short enough to be replaced."""
    return {
        "system_prompt": (
            "You are {{ role_local.name }} in the project {{ project.name }}. "
            "Describe the role here: its responsibilities, and its limits."
        ),
        "developer_prompt": "",
        "templates": {
            "ticket_task": (
                "# {{ ticket.title }}\n\n{{ ticket.description }}\n\n"
                "It is done when:\n{{ ticket.acceptance_criteria }}"
            ),
            "chat_task": "{{ chat.message }}",
            "gate_eval": (
                "Decide from the evidence whether this work passes.\n\n"
                "Criteria:\n{{ gate.criteria }}\n\n"
                "Evidence from the step before:\n{{ gate.previous_output }}"
            ),
        },
        "output_templates": {
            "agent_done": "The work done, the checks made, and the open points.",
            "gate_pass": "PASS, then one line per criterion with the evidence that shows it.",
            "gate_fail": "FAIL, then a numbered list of what has to change.",
        },
        "memory_profile": {"core_focus": [], "project_focus": [], "priority_categories": []},
    }
