"""SR7xx, second part: differences in validators and retries (sections 2.2, 4.7 and 4.8)."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.steps_registry.format.success_when import passes_on_silence
from workflows.core.dialects.steps_registry.format.validators import conditions_of, guard_of
from workflows.core.dialects.steps_registry.format.vocabulary import VALIDATION_KEY
from workflows.core.dialects.steps_registry.rules.kit import DOCUMENTED, at, climpt, registry_rule
from workflows.core.dialects.steps_registry.rules.validators import retry_paths
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import RenameObject
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.tolerant import as_object, as_str


def _older(source: RegistrySource) -> bool:
    return source.generation == "S"


def _checked(source: RegistrySource) -> Iterator[tuple[str, str]]:
    """(closure step, its first validator) under the profile `documented`."""
    for step in source.steps.values() if source.flow else ():
        if step.kind == "closure":
            _, guard = guard_of(source, step.id, "documented")
            names = [name for _, name in conditions_of(guard)]
            if names:
                yield step.id, names[0]


@registry_rule(
    "SR702", "warning", "Validation step never runs in Climpt", profiles=EVERY, hint_in=DOCUMENTED
)
def dead_validation(source: RegistrySource) -> Notes:
    """The format's document keys `validationSteps` by closure step. Climpt looks them up by verdict
    type: closure.polling, closure.iteration, closure.check, closure.keyword, closure.structured,
    closure.graph and so on. Other keys never run there (D4)."""
    wanted = VALIDATION_KEY.get(source.verdict, "")
    taken = source.table("validationSteps")
    for key in taken:
        if key != wanted and source.generation != "B":
            rename = RenameObject(element=f"validationStep:{key}", new_key=wanted)
            yield Note(
                message=f"{climpt(source)} never runs {key!r}: for the verdict type "
                f"{source.verdict!r} it runs {wanted!r}.",
                pointer=("validationSteps", key),
                element=f"validationStep:{key}",
                fix=make_fix(f"Rename to {wanted}", rename)
                if wanted and wanted not in taken and len(taken) == 1
                else None,
            )


@registry_rule("SR703", "hint", "Climpt ignores maxAttempts", profiles=EVERY)
def attempts(source: RegistrySource) -> Notes:
    """The document limits retries by `maxAttempts`. In Climpt 1.13.27, only the value 1 can end a
    run of a registry with gates, because each passing check before a model call resets the counter.
    Climpt 1.13.15 does not read `onFailure` (D5). Climpt 1.14 counts like the document."""
    for key, item in source.table("validationSteps").items():
        most = as_object(item.get("onFailure")).get("maxAttempts")
        counted = source.generation == "B" or not source.flow
        if not isinstance(most, int) or most < 1 or counted or (most == 1 and not _older(source)):
            continue
        reason = (
            "it does not read onFailure" if _older(source) else "a passing check resets its counter"
        )
        yield Note(
            message=f"{climpt(source)} never stops {key!r} after {most} "
            f"attempt{'s' if most > 1 else ''}: {reason}.",
            pointer=("validationSteps", key, "onFailure", "maxAttempts"),
            element=f"validationStep:{key}",
        )


@registry_rule("SR708", "hint", "Retry at the closure step", profiles=EVERY)
def after_failure(source: RegistrySource) -> Notes:
    """After a failed validator, the document returns to the work step with the retry prompt. Climpt
    calls the model for the same closure step again (D3)."""
    for id, name in _checked(source):
        yield Note(
            message=f"If {name!r} fails, {climpt(source)} repeats {id!r} instead of the work step.",
            pointer=at(source.steps[id]),
            element=f"state:{id}",
        )


@registry_rule("SR719", "hint", "Climpt runs validators at other times", profiles=EVERY)
def when_checked(source: RegistrySource) -> Notes:
    """The document runs the validators of a closure step after the answer `closing`. Climpt 1.13.27
    runs them before the model call and after every answer; Climpt 1.13.15 after every answer (D6).
    A failed check before the model call uses an iteration without a call. In 1.14, whose validation
    steps have a list for each phase, it ends the run."""
    for id, name in _checked(source):
        early = "" if _older(source) else "before the model call and "
        if source.generation != "B":
            yield Note(
                message=f"{climpt(source)} runs {name!r} at {id!r} {early}after every answer, "
                "not only after closing.",
                pointer=at(source.steps[id]),
                element=f"state:{id}",
            )


@registry_rule("SR729", "hint", "Check passes in Climpt if its command fails", profiles=EVERY)
def silent_failures(source: RegistrySource) -> Notes:
    """`"successWhen": "empty"` is about the output. Climpt reads nothing else, so that a command
    that fails without output passes there: `git status --porcelain` outside a repository prints to
    the error output only. In the profile `documented`, a command that could not run, or that ended
    with another exit code than 0, never passes on empty output."""
    for name, item in source.table("validators").items():
        if item.get("type") != "file" and passes_on_silence(item):
            yield Note(
                message=f"{climpt(source)} passes {name!r} also if its command fails without "
                "output.",
                pointer=("validators", name, "successWhen"),
                element=f"validator:{name}",
                hint="Let the command print something if it fails, such as `… || echo failed`.",
            )


@registry_rule(
    "SR720", "warning", "Retry prompt in another folder", profiles=EVERY, hint_in=DOCUMENTED
)
def retry_folder(source: RegistrySource) -> Notes:
    """The document reads the retry prompt from the closure step's folder
    (`closure/issue/f_failed_git-dirty.md`). Climpt only reads the folder that the validation step
    names by c2 and c3 (`retry/issue/…`) (D7)."""
    validators = source.table("validators")
    for step in source.steps.values():
        key, guard = guard_of(source, step.id, "documented") if step.kind == "closure" else ("", {})
        for _, name in conditions_of(guard):
            pattern = as_str(validators.get(name, {}).get("failurePattern"))
            is_known = pattern in source.table("failurePatterns")
            own, *others = retry_paths(source, key, pattern, step)
            if is_known and own in source.files and own != others[0]:
                yield Note(
                    message=f"{climpt(source)} never reads the retry prompt of {name!r} in the "
                    f"folder of {step.id!r}.",
                    path=own,
                    element=f"file:{own}",
                    hint=f"It reads {others[0]}.",
                )
