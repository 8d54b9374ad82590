"""`targetMode`: followed under `documented`, not read by Climpt."""

from __future__ import annotations

from tests.dialects.steps_registry.packs import definition, findings, pack, put
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start
from workflows.core.engine.transition import transition

FIRST = "registry/steps/initial.a"
GATE = f"{FIRST}/structuredGate"


def mode(name, *, rules=None, intents=("next", "repeat", "jump"), field=True):
    def change(whole):
        put(whole, f"{GATE}/allowedIntents", list(intents))
        put(whole, "schema/initial.a", definition(list(intents)))
        put(whole, f"{GATE}/handoffFields", ["status"])
        whole["schema"]["initial.a"]["properties"]["status"] = {"type": "string"}
        if field:
            put(whole, f"{GATE}/targetField", "next_action.target")
            action = whole["schema"]["initial.a"]["properties"]["next_action"]
            action["properties"]["target"] = {"type": "string"}
        if name:
            put(whole, f"{GATE}/targetMode", name)
        for intent, rule in (rules or {}).items():
            put(whole, f"{FIRST}/transitions/{intent}", rule)

    return change


def entered(source, answer, profile="documented"):
    """The state after the first answer, or the reason of the run's end."""
    program = DIALECT.program(source, profile)
    events, _ = transition(program, RunState(), Start(at=1.0, inputs={"issue": "7"}))
    run = fold_all(events)
    (effect,) = pending_effects(run)
    events, _ = transition(program, run, Reply(at=2.0, key=effect.key, structured=answer))
    run = fold_all(events, run)
    return run.reason if run.finished else run.positions[0].state


def answer(action, target="", **more):
    return {"next_action": {"action": action, "target": target}, **more}


BOTH = {"next": {"target": "continuation.a", "condition": "status",
                 "targets": {"again": "initial.a", "default": "continuation.a"}}}  # fmt: skip
RULE = {"jump": {"target": "continuation.a"}}


@each_row([
        ("", RULE, answer("jump", "initial.a"), "initial.a", "initial.a"),
        ("explicit", RULE, answer("jump", "initial.a"), "continuation.a", "initial.a"),
        ("dynamic", RULE, answer("jump", "initial.a"), "initial.a", "initial.a"),
        ("dynamic", {}, answer("next", "initial.a"), "initial.a", "continuation.a"),
        ("dynamic", {}, answer("next"), "continuation.a", "continuation.a"),
        ("conditional", BOTH, answer("next", status="again"), "initial.a", "continuation.a"),
        ("conditional", BOTH, answer("next", status="x"), "continuation.a", "continuation.a"),
        ("conditional", RULE, answer("jump", "initial.a"), "continuation.a", "initial.a"),
        ("", BOTH, answer("next", status="again"), "continuation.a", "continuation.a"),
    ])  # fmt: skip
def test_the_mode_decides_where_the_target_comes_from(name, rules, said, documented, climpt):
    source = pack(mode(name, rules=rules))
    assert entered(source, said) == documented
    assert entered(source, said, "climpt") == climpt


def test_a_dynamic_target_must_exist():
    reason = entered(pack(mode("dynamic")), answer("next", "nowhere"))
    assert 'Jump target "nowhere" does not exist' in reason


@each_row(
    [
        ("explicit", ("next", "repeat", "jump"), RULE),
        ("dynamic", ("next", "repeat"), {}),
        ("conditional", ("next", "repeat"), BOTH),
    ]
)
def test_a_rehearsal_takes_every_drawn_transition(name, intents, rules):
    source = pack(mode(name, intents=intents, rules=rules))
    result = rehearse(
        DIALECT.program(source, "documented"), DIALECT.graph(source, "documented"), runs=60
    )
    assert result.unreached == ()


def test_conditional_targets_replace_the_plain_one_on_the_canvas():
    source = pack(mode("conditional", intents=("next", "repeat"), rules=BOTH))
    inert = {
        profile: {a.label: a.inert for a in DIALECT.graph(source, profile).transitions}
        for profile in DIALECT.profiles
    }
    assert (inert["documented"]["next"], inert["documented"]["next: again"]) == (True, False)
    assert (inert["climpt"]["next"], inert["climpt"]["next: again"]) == (False, True)


@each_row(
    [
        (mode(""), set()),
        (mode("dynamic"), {"SR716"}),
        (mode("dynamic", field=False), {"SR716", "SR222"}),
        (mode("conditional", rules=BOTH), {"SR716"}),
        (mode("conditional"), {"SR716", "SR222"}),
        (mode("explicit", rules=RULE), {"SR716"}),
        (mode("explicit"), {"SR716", "SR222"}),
        (mode("explicit", intents=("next", "repeat")), {"SR716", "SR309"}),
        (mode("dynamic", intents=("next", "repeat")), {"SR716"}),
    ]
)
def test_a_mode_without_a_source_of_targets_is_a_warning(change, codes):
    told = {found.code for found in findings(pack(change))}
    assert told & {"SR222", "SR309", "SR716"} == codes
