"""The script and the style sheets of a page, with the modules that the script imports."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from workflows.views.canvas_files import entry

register = template.Library()


@register.simple_tag
def canvas_styles(name: str) -> SafeString:
    """The links to the style sheets of an entry's pages."""
    return format_html_join(
        "\n  ",
        '<link rel="stylesheet" href="{}">',
        ((static(one),) for one in entry(name).styles),
    )


@register.simple_tag
def canvas_script(name: str) -> SafeString:
    """The script of an entry. Its imports are loaded at the same time, not after it."""
    files = entry(name)
    preloads = format_html_join(
        "\n  ",
        '<link rel="modulepreload" href="{}">',
        ((static(one),) for one in files.imports),
    )
    script = format_html('<script type="module" src="{}"></script>', static(files.script))
    return format_html("{}\n  {}", preloads, script)
