"""The values of the template `help_content.html`, for the app and for the site."""

from __future__ import annotations

from typing import Any

from workflows.help.markdown import navigation, relative, rendered
from workflows.help.pages import pages


def context(address: str) -> dict[str, Any]:
    """One page with its navigation. All links are relative to it. Raises KeyError."""
    page, shown = pages()[address], rendered(address)
    sections = [
        {
            "title": section.title,
            "pages": [
                {"title": title, "link": relative(address, target), "here": target == address}
                for target, title in section.pages
            ],
        }
        for section in navigation()
    ]
    return {
        "page": page,
        "html": shown.html,
        "parts": shown.parts,
        "sections": sections,
        "start": relative(address, ""),
        "markdown": relative(address, f"{address or 'index'}.md").rstrip("/"),
    }
