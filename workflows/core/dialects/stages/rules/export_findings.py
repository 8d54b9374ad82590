"""What an extension for stud-cli says beside its files: the findings come with the export, the help
from here."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.stages.rules.kit import stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.rules.kit import Note


@stage_rule("ST601", "hint", "Extension cannot be attached yet")
def not_attachable(facts: Facts) -> Iterable[Note]:
    """stud-cli 0.1.1 discovers this folder and accepts its manifest, but its command line does not
    attach state machines yet: `/sm` says so, and `--sm` has no effect. The files are right for the
    version that does. Keep the pipeline, and export it again then."""
    return ()


@stage_rule("ST602", "hint", "Prompts are filled in by generated code")
def generated_rendering(facts: Facts) -> Iterable[Note]:
    """stud-cli fills in `${ctx.field}` alone; the prompts of these stages write `{{ctx.field}}`, as
    the format's page has it. The exported code brings a hook of its own for Init that fills them
    in. A host that passes over that hook would send them as they are."""
    return ()


@stage_rule("ST603", "warning", "Decisions rest on results that are not passed on")
def payload_not_passed(facts: Facts) -> Iterable[Note]:
    """The pipeline looks at what a stage handed over. stud-cli 0.1.1 does not give that to the code
    of a state machine, although its contract says so. The exported code uses the result if the host
    passes it as `parsed`; without it a case that asks for a value is never taken."""
    return ()


@stage_rule("ST604", "warning", "Join is rejected by stud-cli's check")
def rejected_join(facts: Facts) -> Iterable[Note]:
    """The join stands outside `nextStages`, as in every real pipeline. The check of a single
    definition rejects that as StageJoinDangling; the check of a whole state machine and the
    scheduler do not look. Listed, it passes the check and is run twice by that scheduler."""
    return ()


@stage_rule("ST605", "warning", "Not carried out by stud-cli")
def not_carried_out(facts: Facts) -> Iterable[Note]:
    """The format's page asks for this, and nothing in stud-cli 0.1.1 does it: its scheduler goes on
    to the successors after `retry` and after `fail`, checks no inputs, and knows no step for a
    failed branch. Here it is done. There the stage runs as if it were not written."""
    return ()


@stage_rule("ST606", "warning", "Tool is left out without a word")
def dropped_tool(facts: Facts) -> Iterable[Note]:
    """stud-cli 0.1.1 drops tool names that it does not know from a stage's list, silently; the
    format's page calls that an error at Init. The stage then runs with fewer tools than it lists.
    Write the registered names."""
    return ()
