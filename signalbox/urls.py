"""URL configuration."""

from __future__ import annotations

from django.conf import settings
from django.urls import include, path, register_converter

from workflows.admin import site
from workflows.core.plugins import declared
from workflows.db.integers import IntegerConverter

register_converter(IntegerConverter, "number")

pages = [
    path("api/v1/", include("workflows.api.urls")),
    *(path("api/v1/", include(urls)) for urls in declared("urls")),
    path("admin/", site.urls),
    path("", include("roles.urls")),
    path("", include("workflows.urls")),
]
urlpatterns = [path(settings.ROOT_PATH[1:], include(pages))]
handler400 = "workflows.views.errors.bad_request"
handler403 = "workflows.views.errors.forbidden"
handler404 = "workflows.views.errors.not_found"
handler500 = "workflows.views.errors.server_error"
