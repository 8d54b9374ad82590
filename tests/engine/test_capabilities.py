"""Whether a driver can do what a pack asks of the model."""

from types import SimpleNamespace

import pytest

from tests.support.state_machine import Machine
from workflows.core.engine.capabilities import EVERYTHING, missing_capability

NEEDS = SimpleNamespace(requires={"toolCalling": "hard", "streaming": "preferred"})


@pytest.mark.parametrize(
    ("program", "claims"),
    [
        (NEEDS, EVERYTHING),
        (NEEDS, {}),
        (NEEDS, {"toolCalling": "probed", "streaming": "absent"}),
        (Machine({}), {"toolCalling": "absent"}),
    ],
    ids=["all", "unknown", "probed", "nothing asked"],
)
def test_only_what_is_hard_and_absent_keeps_a_run_from_starting(program, claims):
    assert missing_capability(program, claims, "it") == ""


def test_what_is_missing_is_named():
    said = missing_capability(NEEDS, {"toolCalling": "absent"}, "mumble")
    assert said == (
        "This pack needs a model that can call tools in a structured form, and mumble cannot "
        "(MissingCapability toolCalling)."
    )


def test_a_driver_that_claims_nothing_is_given_the_benefit_of_the_doubt():
    assert missing_capability(NEEDS, {}, "mumble") == ""
