"""Help pages of rules."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from workflows.help.markdown import rule_addresses
from workflows.selectors.rules import rule_page, rule_pages


@require_GET
def rules(request: HttpRequest) -> HttpResponse:
    """Every rule by family; `q` filters them."""
    q = request.GET.get("q", "").strip()
    return render(request, "rules.html", {"rules": rule_pages(q), "q": q})


@require_GET
def rule(request: HttpRequest, code: str) -> HttpResponse:
    """One rule: the problem, its consequences, and the fix."""
    page = rule_page(code)
    if page is None:
        raise Http404(f"There is no rule {code}.")
    return render(
        request, "rule.html", {"rule": page, "reference": rule_addresses().get(page.code)}
    )
