"""The assistant without a model: it proposes the fix of the first finding that has one."""

from __future__ import annotations

from typing import Any

from workflows.actions.agent_tools import PackTools

NOTHING = "No finding of this pack has a fix. Choose a connection to ask a model."
DONE = "This script proposes the fix of the first finding that has one. It read no request."


def scripted(tools: PackTools) -> dict[str, Any]:
    """A script for the driver `script`: check, propose, answer."""
    check = {"level": "hint", "fixes": True}
    findings = tools.call("check", check).get("findings", [])
    edits = next((one["fix"] for one in findings if one.get("fix")), None)
    if edits is None:
        return {"replies": [{"text": NOTHING}]}
    calls = [("check", check), ("propose", {"edits": edits})]
    asked = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
    # Edits with new findings are shown when they are proposed again.
    again = asked[1:] if tools.call("propose", {"edits": edits}).get("findings_new") else []
    return {"replies": [*asked, *again, {"text": DONE}]}
