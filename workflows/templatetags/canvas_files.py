"""The script and the style sheet of a page, with the modules that the script imports."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from workflows.views.canvas_files import entry

register = template.Library()


@register.simple_tag
def canvas_styles() -> SafeString:
    """The link to the style sheet of all pages."""
    return format_html('<link rel="stylesheet" href="{}">', static(entry("site").styles))


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
