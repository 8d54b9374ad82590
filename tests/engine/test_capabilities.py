"""Capabilities: a driver's claims against a pack's requirements."""

from types import SimpleNamespace

from tests.support.checks import each_row
from tests.support.state_machine import Machine
from workflows.core.engine.capabilities import EVERYTHING, missing_capability

NEEDS = SimpleNamespace(requires={"toolCalling": "hard", "streaming": "preferred"})


@each_row(
    [
        (NEEDS, EVERYTHING),
        (NEEDS, {}),
        (NEEDS, {"toolCalling": "probed", "streaming": "absent"}),
        (Machine({}), {"toolCalling": "absent"}),
    ]
)
def test_only_a_hard_capability_claimed_absent_prevents_a_run(program, claims):
    assert missing_capability(program, claims, "it") == ""


def test_the_missing_capability_is_named():
    said = missing_capability(NEEDS, {"toolCalling": "absent"}, "mumble")
    assert said == (
        "This pack needs a model that can call tools in a structured form, and mumble cannot "
        "(MissingCapability toolCalling)."
    )


def test_a_driver_without_claims_is_allowed():
    assert missing_capability(NEEDS, {}, "mumble") == ""
