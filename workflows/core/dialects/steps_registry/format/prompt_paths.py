"""Paths of prompt files: path config (app.yml, user.yml), else the document's default.

Specs of the format, section 5.1. Paths are relative to the tree, like all paths of `Files`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from posixpath import basename, join, normpath
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import VALIDATION_KEY
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.source_cache import once_per_source
from workflows.core.patterns import PatternError, javascript
from workflows.core.text.ascii_names import ascii_name, letters_of
from workflows.core.text.tolerant import as_object, as_str
from workflows.core.text.yaml.document import YamlText
from workflows.core.text.yaml.errors import YamlTextError

PATTERN_SECONDS = 0.02
"""For a folder name, which is short."""
_LETTERS = re.compile(r"[a-z]+")
_DIGITS = str.maketrans("0123456789", "ghijklmnop")
PLACEHOLDER = re.compile(r"\{uv-(\w+)\}")
SECTION = re.compile(r"\{(\w+)_section\}")
TEMPLATE_PART = re.compile(r"\{(c1|c2|c3|edition|adaptation)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPaths:
    """The path config. `root` is the folder of `<c2>/<c3>/…`.

    `app` and `user` are the expected paths of the config files, which may not exist.
    """

    root: str
    app: str
    user: str
    c2_pattern: str = ""
    c3_pattern: str = ""


def yaml_mapping(data: bytes) -> Mapping[str, Any]:
    """The mapping of a YAML file; {} if it is something else or cannot be read."""
    return _yaml(data)[0]


def yaml_problem(data: bytes) -> str:
    """The reason why a YAML file cannot be read, or ""."""
    return _yaml(data)[1]


@lru_cache(maxsize=64)
def _yaml(data: bytes) -> tuple[Mapping[str, Any], str]:
    try:
        text = YamlText.parse(data)
    except YamlTextError as error:
        return {}, f"{error.message} (line {error.line})"
    if text.duplicates:
        double = text.duplicates[0]
        return {}, f"The key {str(double.pointer[-1])!r} appears twice. (line {double.line})"
    return as_object(text.value), ""


@once_per_source
def prompt_paths(source: RegistrySource) -> PromptPaths:
    """The path config of this pack."""
    c1 = as_str(source.value.get("c1")) or "steps"
    name = basename(source.folder) or source.agent_id
    folder = join(source.repository, ".agent/climpt/config") if source.in_tree else ""
    app, user = (join(folder, f"{name}-{c1}-{part}.yml") for part in ("app", "user"))
    base = as_str(source.value.get("userPromptsBase"))
    app_yml, user_yml = (yaml_mapping(source.files.get(path, b"")) for path in (app, user))
    configured = _value(user_yml, "app_prompt", "base_dir") or _value(
        app_yml, "app_prompt", "base_dir"
    )
    root = None
    if isinstance(configured, str):
        working = _value(app_yml, "working_dir")
        working = working if isinstance(working, str) else "."
        root = _inside(join(source.repository, working, configured))
    return PromptPaths(
        root=root or _default_root(source, c1, base),
        app=app,
        user=user,
        c2_pattern=as_str(_value(user_yml, "params", "two", "directiveType", "pattern")),
        c3_pattern=as_str(_value(user_yml, "params", "two", "layerType", "pattern")),
    )


def _default_root(source: RegistrySource, c1: str, base: str) -> str:
    """The document's default without a config file: `<prompts base>/<c1>`."""
    if base and (stated := _inside(join(source.repository, base))):
        return join(stated, c1)
    return join(source.beside("prompts"), c1)


def _inside(path: str) -> str | None:
    """The normalised path; None if it leads out of the tree."""
    plain = normpath(path)
    return None if plain.startswith(("..", "/")) else ("" if plain == "." else plain)


def _value(tree: Any, *path: str) -> Any:
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def file_name(edition: str, adaptation: str) -> str:
    return f"f_{edition}_{adaptation}.md" if adaptation else f"f_{edition}.md"


def prompt_path(source: RegistrySource, step: Step, adaptation: str | None = None) -> str:
    """The exact path of the step's prompt, whether the file exists or not."""
    chosen = step.adaptation if adaptation is None else adaptation
    name = file_name(step.edition, chosen)
    return prompt_folder(source, step.c2, step.c3) + name


def prompt_folder(source: RegistrySource, c2: str, c3: str) -> str:
    """The folder of the prompts with this address, with a final slash; "" for the root of a tree
    and an incomplete address."""
    folder = f"{c2}/{c3}/" if c2 and c3 else ""
    root = prompt_paths(source).root
    return f"{root}/{folder}" if root else folder


DEFAULT_TEMPLATES = (
    "{c1}/{c2}/{c3}/f_{edition}_{adaptation}.md",
    "{c1}/{c2}/{c3}/f_{edition}.md",
)


def documented_path(source: RegistrySource, step: Step, adaptation: str | None = None) -> str:
    """The prompt path in the document: `userPromptsBase` and the path template (D8). "" if it leads
    out of the tree. Climpt uses its path config instead."""
    chosen = step.adaptation if adaptation is None else adaptation
    with_, without = DEFAULT_TEMPLATES
    template = as_str(source.value.get("pathTemplateNoAdaptation")) or without
    if chosen:
        template = as_str(source.value.get("pathTemplate")) or with_
    parts = {
        "c1": as_str(source.value.get("c1")) or "steps",
        "c2": step.c2,
        "c3": step.c3,
        "edition": step.edition,
        "adaptation": chosen,
    }
    name = TEMPLATE_PART.sub(lambda match: parts[match[1]], template)
    stated = as_str(source.value.get("userPromptsBase"))
    base = join(source.repository, stated) if stated else source.beside("prompts")
    return _inside(join(base, name)) or ""


def documented_prompt(source: RegistrySource, step: Step, adaptation: str | None) -> str | None:
    """The file at the document's path, with or without the adaptation, else the one that Climpt
    reads. None if none of them exists."""
    for path in (documented_path(source, step, adaptation), documented_path(source, step, "")):
        if path in source.data:
            return path
    return existing_prompt(source, step, adaptation)


@once_per_source
def existing_prompt(
    source: RegistrySource, step: Step, adaptation: str | None = None
) -> str | None:
    """The prompt file that a run reads: with the adaptation if it exists, else without. None if
    neither exists."""
    exact = prompt_path(source, step, adaptation)
    if exact in source.data:
        return exact
    if not (step.adaptation if adaptation is None else adaptation):
        return None
    plain = prompt_path(source, step, "")
    return plain if plain in source.data else None


def prompt_text(source: RegistrySource, path: str) -> str:
    return source.files[path].decode("utf-8", "replace")


def permits(pattern: str, part: str) -> bool:
    """True if a pattern of user.yml permits a folder name. One that cannot be used permits
    everything; SR428 reports it."""
    try:
        return javascript.search(pattern, part, seconds=PATTERN_SECONDS)
    except PatternError:
        return True


def forbidden(source: RegistrySource, address: Mapping[str, Any]) -> str:
    """The key of an address (c2 or c3) that user.yml does not permit; "" if it permits both."""
    paths = prompt_paths(source)
    for key, pattern in (("c2", paths.c2_pattern), ("c3", paths.c3_pattern)):
        part = as_str(address.get(key))
        if pattern and part and not permits(pattern, part):
            return key
    return ""


def section_called(source: RegistrySource, name: str) -> Step | None:
    """The `section.*` step of the placeholder `{name_section}`, compared by letters and digits
    (`{project_context_section}` is `section.projectcontext`)."""
    return _sections(source).get(letters_of(name))


@once_per_source
def _sections(source: RegistrySource) -> dict[str, Step]:
    return {
        letters_of(step.id.removeprefix("section.")): step
        for step in source.steps.values()
        if step.exempt and step.section
    }


def folder_name(text: str) -> str:
    """The text as a folder of prompts: lower-case letters and hyphens. Digits of code points become
    letters; other digits are left out."""
    plain = ascii_name(text).lower()
    return "-".join(_LETTERS.findall(plain if text.isascii() else plain.translate(_DIGITS)))


def without_front_matter(text: str) -> str:
    """The prompt's text after its front matter."""
    head, body = split_front_matter(text)
    return body if head else text


def split_front_matter(text: str) -> tuple[str, str]:
    """(front matter with its fences, rest); ("", text) without front matter."""
    if not text.startswith("---"):
        return "", text
    end = text.find("\n---", 3)
    if end < 0:
        return "", text
    line_end = text.find("\n", end + 1)
    cut = len(text) if line_end < 0 else line_end + 1
    return text[:cut], text[cut:]


def has_prompts(source: RegistrySource) -> bool:
    """True if the pack has prompt files. A registry on its own has none."""
    prefix = f"{prompt_paths(source).root}/"
    return any(path.startswith(prefix) for path in source.data)


def is_agent_folder(source: RegistrySource) -> bool:
    """True if the pack is an agent's folder, so that an absent file is reported as missing."""
    return source.in_tree or has_prompts(source) or source.agent_path in source.data


@once_per_source
def front_matter_is_usual(source: RegistrySource) -> bool:
    """True if the pack's first prompt has front matter."""
    paths = (existing_prompt(source, step) for step in source.steps.values())
    first = next((path for path in paths if path is not None), None)
    return first is not None and source.data[first].startswith(b"---")


def continuation_of(source: RegistrySource) -> str:
    """The step whose prompt the verdict falls back to: by name, since 1.14 by the mapping."""
    pair = as_object(source.value.get("entryStepMapping")).get(source.verdict)
    if source.generation == "B" and isinstance(pair, dict):
        return as_str(pair.get("continuation"))
    return f"continuation.{VALIDATION_KEY.get(source.verdict, '').partition('.')[2]}"


def closure_adaptation(source: RegistrySource, step: Step) -> str | None:
    """The adaptation of closure prompts: `defaultClosureAction` if GitHub is enabled, else None."""
    github = source.agent_value("runner", "integrations", "github")
    if step.kind != "closure" or not isinstance(github, dict) or not github.get("enabled"):
        return None
    action = github.get("defaultClosureAction")
    return action if isinstance(action, str) and action != "close" else None
