"""What reading files finds by itself: the findings come with the source, the help from here."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.stages.rules.kit import stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.rules.kit import Note


@stage_rule("ST101", "error", "Pipeline is not JSON")
def not_json(facts: Facts) -> Iterable[Note]:
    """The pipeline cannot be read as JSON, so nothing can be drawn, checked or run. The message
    names the line where reading stopped; the cause often stands just before it, such as a comma too
    many or a quote that is missing. Repair it in the text view."""
    return ()


@stage_rule("ST102", "error", "Neither pipeline nor stage")
def nothing_here(facts: Facts) -> Iterable[Note]:
    """No file of this pack is a pipeline or a stage, or the pipeline is JSON but no object. A
    stage is a markdown file that begins with front matter; a pipeline is an object with `format`,
    `entryStage` and `stages`. Add one, or open the folder that has them."""
    return ()


@stage_rule("ST103", "error", "Key twice in the pipeline")
def repeated_key(facts: Facts) -> Iterable[Note]:
    """One object of the pipeline has the same key twice. Readers take the last one and forget the
    other, so a stage or a rule that seems to be there is not. Remove or rename one of the two."""
    return ()


@stage_rule("ST104", "error", "Stage cannot be read")
def unreadable_stage(facts: Facts) -> Iterable[Note]:
    """The front matter of this stage is not YAML, is never closed, or is no mapping; or the stage
    object is not JSON. The stage is drawn, but nothing is known of it and it cannot run. The
    message names the line; repair it in the text view."""
    return ()


@stage_rule("ST105", "error", "No front matter")
def no_front_matter(facts: Facts) -> Iterable[Note]:
    """The pipeline names this file as a stage, but it does not begin with front matter, so it has
    no contract: no id, no tools, no completion. Begin the file with a line of three hyphens, the
    keys of the stage, and another line of three hyphens."""
    return ()


@stage_rule("ST106", "error", "Key twice in a stage")
def repeated_stage_key(facts: Facts) -> Iterable[Note]:
    """The head of this stage has the same key twice, which YAML 1.2 does not allow: readers differ
    on which one counts. Often the second one has lost its indentation. Remove one, or indent it
    under the key it belongs to."""
    return ()


@stage_rule("ST107", "error", "Prompt is not UTF-8")
def not_utf8(facts: Facts) -> Iterable[Note]:
    """The body of this stage holds bytes that are no UTF-8, so it cannot be sent to a model as it
    stands. The file was saved in another encoding. Save it as UTF-8."""
    return ()


@stage_rule("ST108", "error", "Half a character")
def half_a_character(facts: Facts) -> Iterable[Note]:
    """Some characters, such as emoji, are written in JSON or YAML as two escapes that belong
    together. Here one of the two is missing, so the text cannot be stored, sent or shown. Complete
    the pair or remove what is left of it, in the text view."""
    return ()
