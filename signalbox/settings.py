"""Django settings. Operators change them with environment variables `SIGNALBOX_…`."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from csp.constants import NONCE, SELF
from django.core.exceptions import ImproperlyConfigured

from signalbox import storage

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SIGNALBOX_DATA", ROOT / "var")).absolute()
"""SIGNALBOX_DATA: folder of the database, secret key and workspaces."""


def _secret_key() -> str:
    """SIGNALBOX_SECRET_KEY, or a key created once and stored next to the database."""
    given = os.environ.get("SIGNALBOX_SECRET_KEY")
    if given:
        return given
    kept = DATA / "secret-key"
    if not kept.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_name(f"secret-key.{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(48))
        with suppress(FileExistsError):
            os.link(fresh, kept)
        fresh.unlink()
    return kept.read_text()


def _list(name: str) -> list[str]:
    return [item.strip() for item in os.environ.get(name, "").split(",") if item.strip()]


def _number(name: str) -> int | None:
    """A whole number from 0 on; None if the variable is not set."""
    given = os.environ.get(name, "").strip()
    if not given:
        return None
    if not given.isdecimal():
        raise ImproperlyConfigured(f"{name} is {given!r}, which is no whole number.")
    return int(given)


SECRET_KEY = _secret_key()
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *_list("SIGNALBOX_HOSTS")]
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in _list("SIGNALBOX_HOSTS")]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "channels",
    "csp",
    "roles",
    "workflows",
]
MIDDLEWARE = [
    "workflows.views.request_metrics.timing",
    "workflows.api.trailing_slash.last_slash",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "workflows.views.errors.ErrorPages",
]
ROOT_URLCONF = "signalbox.urls"
ASGI_APPLICATION = "signalbox.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ]
        },
    }
]

_database = os.environ.get("SIGNALBOX_DATABASE", "")
"""SIGNALBOX_DATABASE: postgresql://… for several processes on one database; default: a file."""
DATABASES = {"default": storage.postgresql(_database) if _database else storage.sqlite(DATA)}
if _database:
    INSTALLED_APPS.append("procrastinate.contrib.django")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CHANNEL_LAYERS = {"default": storage.channel_layer(os.environ.get("SIGNALBOX_REDIS", ""))}
"""SIGNALBOX_REDIS: redis://…, which carries notifications between processes."""

CSRF_FAILURE_VIEW = "workflows.views.errors.csrf_failure"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "gallery"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
_https = os.environ.get("SIGNALBOX_HTTPS") == "1"
"""SIGNALBOX_HTTPS=1: the server is behind TLS; cookies are then sent over TLS only."""
SESSION_COOKIE_SECURE = _https
CSRF_COOKIE_SECURE = _https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _https else None
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", "blob:"],
        "worker-src": [SELF, "blob:"],
        "connect-src": [SELF],
        "frame-ancestors": ["'none'"],
        "base-uri": [SELF],
        "form-action": [SELF],
        "object-src": ["'none'"],
    }
}

STATIC_URL = "static/"
_built = ROOT / "frontend_static" / "dist"
STATICFILES_DIRS = [("dist", _built)] if _built.exists() else []
_collected = ROOT / "staticfiles"
STATIC_ROOT = _collected if _collected.exists() else None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = os.environ.get("SIGNALBOX_REFRESH") == "1"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
DATA_UPLOAD_MAX_NUMBER_FILES = 10_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "workflows.api.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["workflows.api.renderers.AnyJSON"],
    "DEFAULT_PARSER_CLASSES": [
        "workflows.api.parsers.LimitedJSON",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_PAGINATION_CLASS": "workflows.api.paging.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "workflows.api.errors.handle",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Signalbox",
    "DESCRIPTION": "Packs, edits and runs.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "COMPONENT_SPLIT_REQUEST": True,
    "OAS_VERSION": "3.1.0",
    "ENUM_NAME_OVERRIDES": {
        "RunStatusEnum": "workflows.api.serializers.common.RUN_STATUSES",
        "ConnectionKindEnum": "workflows.models.endpoint.KINDS",
        "TriggerKindEnum": "workflows.api.serializers.triggers.KINDS",
        "LevelEnum": "workflows.core.pack.findings.LEVELS",
        "TransitionKindEnum": "workflows.api.serializers.graph.TRANSITION_KINDS",
        "TemplateSourceEnum": "workflows.api.serializers.templates.SOURCES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "workflows.api.openapi.complete",
    ],
}
KNOX_TOKEN_MODEL = "workflows.Token"
REST_KNOX = {"TOKEN_TTL": None, "AUTH_HEADER_PREFIX": "Bearer"}

SIGNALBOX_REPOSITORIES = [Path(folder) for folder in _list("SIGNALBOX_REPOSITORIES")]
"""SIGNALBOX_REPOSITORIES: folders (separated by commas) that may contain git working copies to
write."""
SIGNALBOX_COMMANDS = os.environ.get("SIGNALBOX_COMMANDS") == "1"
"""SIGNALBOX_COMMANDS=1: runs that request it may run commands of their pack."""
SIGNALBOX_PRIVATE_HOSTS = _list("SIGNALBOX_PRIVATE_HOSTS")
"""SIGNALBOX_PRIVATE_HOSTS: hosts (separated by commas) with private addresses that may be connected
to."""
SIGNALBOX_WORKER = os.environ.get("SIGNALBOX_WORKER", "none" if _database else "embedded")
"""SIGNALBOX_WORKER: `embedded` runs a worker inside the server, `none` leaves runs to `signalbox
worker`; default: embedded with SQLite, none with PostgreSQL."""
SIGNALBOX_WEBHOOK_RATE = _number("SIGNALBOX_WEBHOOK_RATE") or 60
"""SIGNALBOX_WEBHOOK_RATE: runs that one webhook may start in a minute."""
SIGNALBOX_KEEP_DAYS = _number("SIGNALBOX_KEEP_DAYS")
"""SIGNALBOX_KEEP_DAYS: days after which finished runs are deleted; default: never."""
SIGNALBOX_KEEP_FAILED_DAYS = _number("SIGNALBOX_KEEP_FAILED_DAYS")
if SIGNALBOX_KEEP_FAILED_DAYS is None:
    SIGNALBOX_KEEP_FAILED_DAYS = SIGNALBOX_KEEP_DAYS
"""SIGNALBOX_KEEP_FAILED_DAYS: days after which failed runs and runs without budget are deleted."""
SIGNALBOX_METRICS_TOKEN = os.environ.get("SIGNALBOX_METRICS_TOKEN", "")
"""SIGNALBOX_METRICS_TOKEN: bearer token for /metrics; default: staff only; `off`: no access."""
_format = "json" if os.environ.get("SIGNALBOX_LOG_FORMAT") == "json" else "line"
"""SIGNALBOX_LOG_FORMAT=json: one JSON object per line."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "workflows.telemetry.logs.TextFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {"()": "workflows.telemetry.logs.JsonFormatter"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": _format}},
    "loggers": {
        "django.request": {"level": "ERROR"},
        # A malformed response of a server is reported in the run; its bytes do not belong in the
        # log.
        "mcp.client": {"level": "CRITICAL"},
    },
    "root": {"handlers": ["console"], "level": os.environ.get("SIGNALBOX_LOG", "WARNING")},
}
