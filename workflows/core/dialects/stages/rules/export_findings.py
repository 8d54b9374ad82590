"""Help pages of the findings that an export for stud-cli reports."""

from __future__ import annotations

from workflows.core.rules.kit import reported

REPORTED = reported("""
ST601 hint Extension cannot be attached yet
    stud-cli 0.1.1 discovers this folder and accepts its manifest, but its command line cannot
    attach state machines yet: `/sm` prints a notice, and `--sm` has no effect. The files fit the
    version that can. Keep the pipeline, and export it again for that version.
ST602 hint Generated code fills in the prompts
    stud-cli only fills in `${ctx.field}`; the prompts of these stages write `{{ctx.field}}`, as
    the format's page defines. The exported code has its own hook for Init that fills them in. A
    host that skips the hook sends the prompts unchanged.
ST603 warning Conditions need results that stud-cli does not pass
    Conditions of the pipeline read the payload of a stage. stud-cli 0.1.1 does not pass it to
    the code of a state machine, although its contract requires that. The exported code uses the
    payload if the host passes it as `parsed`; otherwise a case that reads it is never taken.
ST605 warning stud-cli does not implement this
    The format's page requires this, but stud-cli 0.1.1 does not implement it: its scheduler
    continues with the successors after `retry` and after `fail`, checks no inputs, and has no step
    for a failed branch. Signalbox implements it. In stud-cli the stage runs without it.
ST606 warning stud-cli drops an unknown tool
    stud-cli 0.1.1 silently drops unknown tool names from a stage's list; the format's page
    requires an error at Init. The stage then runs with fewer tools than it lists. Use the
    registered names.
""")
