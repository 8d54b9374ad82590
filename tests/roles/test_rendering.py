"""Templates with statements run in processes of their own; nothing they do reaches the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from roles import rendering
from roles.core.templates import Rendered, TemplateStopped
from roles.rendering import POOL, child, render_program

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = {
    "ticket.title": "{{ not.scanned }} {% again %}",
    "ticket.tags": "a, b",
    "step.metadata": {"strict": True, "none": None, "list": [1, "x"]},
    "chat.message": "hi",
}
BOMBS = {
    "long text": "{% set a = 'a' * 10**8 %}{{ a }}{{ a }}",
    "very long text": "{% if 1 %}{{ 'a' * 10**10 }}{% endif %}",
    "doubling": "{% set n = namespace(s='ab') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}"
    "{% endfor %}",
    "nested loops": "{% for a in range(9999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "loops that write": "{% for a in range(9999) %}{% for b in range(9999) %}xxxxxxxxxx{% endfor %}"
    "{% endfor %}",
    "huge range": "{% for a in range(10**9) %}x{% endfor %}",
    "huge list": "{% if 1 %}{{ [1] * 10**9 }}{% endif %}",
    "recursion": "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
    "center": "{% if 1 %}{{ 'a'|center(10**9) }}{% endif %}",
    "format": "{% if 1 %}{{ '%1000000000d'|format(1) }}{% endif %}",
    "format method": "{% if 1 %}{{ '{:>1000000000}'.format(1) }}{% endif %}",
    "power": "{% if 1 %}{{ (9**9)**(9**8) }}{% endif %}",
    "slow filter": "{% if 1 %}{{ ('a' * 10**7)|wordwrap(1)|length }}{% endif %}",
    "deep parentheses": "{% if 1 %}{{ " + "(" * 4_000 + "1" + ")" * 4_000 + " }}{% endif %}",
    "long sum": "{% if 1 %}{{ " + "1+" * 9_000 + "1 }}{% endif %}",
    "replace": "{% if 1 %}{{ ('a' * 10**4)|replace('a', 'b' * 10**6) }}{% endif %}",
}
FORBIDDEN = {
    "attributes": "{% if 1 %}{{ ''.__class__.__mro__ }}{% endif %}",
    "of a name without a value": "{% if 1 %}{{ nothing.__init__.__globals__ }}{% endif %}",
    "in a format string": "{% if 1 %}{{ '{0.__class__}'.format(1) }}{% endif %}",
    "changing a list": "{% if 1 %}{{ step.metadata.list.append(1) }}{% endif %}",
    "files": "{% include '/etc/passwd' %}",
    "other templates": "{% import 'x' as x %}{{ x }}",
}


@pytest.mark.parametrize(
    ("text", "told", "unknown"),
    [
        ("{% if ticket.title %}{{ ticket.title }}{% endif %}", VARIABLES["ticket.title"], ()),
        ("{% if ticket.owner %}x{% else %}nobody{% endif %}", "nobody", ()),
        ("{% if 1 %}[{{ ticket.owner }}{{ a.b.c }}]{% endif %}", "[]", ("ticket.owner", "a.b.c")),
        ("{% for t in ticket.tags.split(', ') %}<{{ t }}>{% endfor %}", "<a><b>", ()),
        ("{% if 1 %}{{ step.metadata }}{% endif %}",
         '{"strict":true,"none":null,"list":[1,"x"]}', ()),
        ("{% if 1 %}{{ step.metadata.none }}{{ step.metadata.strict }}{% endif %}", "true", ()),
        ("{% if 1 %}{{ message }} \\{{ ticket.title }}{% endif %}", "hi {{ ticket.title }}", ()),
        ("{% raw %}{{ x }}{% endraw %}\n", "{{ x }}\n", ()),
        ("{% if 1 %}<b>&{% endif %}", "<b>&", ()),
        ("{% if 1 %}{{ '\\0\\ud800' }}{% endif %}", "?", ()),
        ("{% if 1 %}{{ ticket.owner|default('none') }}{% endif %}", "none", ()),
    ],
)  # fmt: skip
def test_a_template_renders_as_jinja_does(text: str, told: str, unknown: tuple[str, ...]) -> None:
    assert render_program(text, VARIABLES) == Rendered(text=told, unknown=unknown)


@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden_template_features_are_refused_with_a_message(name: str) -> None:
    with pytest.raises(TemplateStopped):
        render_program(FORBIDDEN[name], VARIABLES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n\n{% if 1 %}{{ 1 / 0 }}{% endif %}", "Line 3: ZeroDivisionError"),
        ("{% if 1 %}\n{{ nothing() }}{% endif %}", "Line 2: 'nothing' is undefined"),
        ("{% if %}", "Line 1: "),
    ],
)
def test_a_failing_template_names_the_line(text: str, said: str) -> None:
    with pytest.raises(TemplateStopped, match=said):
        render_program(text, VARIABLES)


def test_every_filter_works_where_no_file_can_be_opened() -> None:
    for name in child.environment({}).filters:
        for value in ("'<b>a&amp;b</b> www.x.org'", "[{'a': 1}]", "1.5"):
            try:
                render_program(f"{{% if 1 %}}{{{{ {value}|{name} }}}}{{% endif %}}", {})
            except TemplateStopped as stopped:
                assert "OSError" not in str(stopped), name
                assert "Import" not in str(stopped), name


def test_bombs_are_cut_off_within_a_second_and_256_mb(tmp_path: Path) -> None:
    """In a process that does nothing else, so that what its children took can be read off it."""
    (tmp_path / "bombs.json").write_text(json.dumps(BOMBS))
    script = f"""
import json, resource, sys
sys.path.insert(0, {str(ROOT)!r})
from roles.core.templates import TemplateStopped
from roles.rendering import POOL, render_program

said = {{}}
for name, text in json.load(open("bombs.json")).items():
    try:
        said[name] = [True, render_program(text, {{}}).text[:50]]
    except TemplateStopped as stopped:
        said[name] = [False, str(stopped)]
after = render_program("{{% if 1 %}}well{{% endif %}}", {{}}).text
POOL.end()
took = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([said, after, took.ru_maxrss, took.ru_utime + took.ru_stime]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said, after, kilobytes, seconds = json.loads(done.stdout)
    assert {name: text for name, (through, text) in said.items() if through} == {}
    assert after == "well"
    assert kilobytes < 256 * 1024
    assert seconds < len(BOMBS)
    assert rendering.SECONDS < 1
    assert child.MEMORY == 256 * 1024 * 1024


def test_variables_that_are_too_large_are_refused() -> None:
    with pytest.raises(TemplateStopped, match="too large"):
        render_program("{% if 1 %}{% endif %}", {"ticket.title": "x" * 17_000_000})


def test_one_template_meets_nothing_of_another() -> None:
    sly = "{% set namespace = 'mine' %}{% macro range() %}mine{% endmacro %}{{ range() }}"
    assert render_program(sly, {}).text == "mine"
    assert render_program("{% if 1 %}{{ range(2)|list }}{% endif %}", {}).text == "[0,1]"


def test_a_plain_text_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    from roles.core.templates import render

    monkeypatch.setattr(POOL, "ask", None)
    assert render("{{ ticket.tags }} {# text #}", VARIABLES, render_program).text == (
        "a, b {# text #}"
    )
