"""Django settings. Operators change them with environment variables `SIGNALBOX_…`."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from csp.constants import NONCE, SELF
from django.core.exceptions import ImproperlyConfigured

from signalbox import storage
from workflows import installation
from workflows.security import sign_in_limits

DATA = installation.data_folder()
"""SIGNALBOX_DATA: folder of the database, secret key and workspaces."""
OPENED_FOLDER: Path | None = None
"""The folder that `signalbox open` serves, which has the files of every pack."""


def _secret_key() -> str:
    """SIGNALBOX_SECRET_KEY, or a key created once and stored next to the database."""
    secret = os.environ.get("SIGNALBOX_SECRET_KEY")
    if secret:
        return secret
    kept = DATA / "secret-key"
    if not kept.exists():
        DATA.mkdir(parents=True, exist_ok=True, mode=0o700)
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
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    if not text.isdecimal():
        raise ImproperlyConfigured(f"{name} is {text!r}, which is not a whole number.")
    return int(text)


SECRET_KEY = _secret_key()
_old = DATA / "secret-key.old"
OLD_SECRET_KEYS = [
    key
    for key in (
        os.environ.get("SIGNALBOX_OLD_SECRET_KEY", ""),
        _old.read_text() if _old.exists() else "",
    )
    if key
]
"""SIGNALBOX_OLD_SECRET_KEY: the key before this one, which reads stored secrets until `signalbox
keys rotate` has encrypted them again. The file has the old key of a rotation that was
interrupted."""
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *_list("SIGNALBOX_HOSTS")]
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in _list("SIGNALBOX_HOSTS")]

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "drf_spectacular",
    "channels",
    "csp",
    "guardian",
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
    "workflows.views.audit_middleware.AuditLog",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "workflows.views.errors.ErrorPages",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
    "workflows.views.rights.RightsOfPages",
]
ROOT_URLCONF = "signalbox.urls"
ASGI_APPLICATION = "signalbox.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [installation.TEMPLATES],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "workflows.views.session_cookies.csrf_cookie",
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

_path = os.environ.get("SIGNALBOX_PATH", "").strip("/")
"""SIGNALBOX_PATH: path of this server behind a proxy that keeps it, as /signalbox; default: /."""
ROOT_PATH = f"/{_path}/" if _path else "/"
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
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_HANDLER = "workflows.security.sign_in_attempts.SignInAttempts"
AXES_USERNAME_CALLABLE = "workflows.security.sign_in_attempts.cleaned_name"
AXES_CLIENT_IP_CALLABLE = "workflows.security.sign_in_attempts.client_address"
AXES_LOCKOUT_CALLABLE = "workflows.views.sign_in.locked_out"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = sign_in_limits.PAIR_FAILURES
AXES_COOLOFF_TIME = sign_in_limits.ADDRESS_WAIT
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken", "token", "next"]
ACCOUNT_ADAPTER = "workflows.security.second_factor.Accounts"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
# Guesses are counted by workflows.security.sign_in_attempts, on all processes.
ACCOUNT_RATE_LIMITS = False
MFA_RATE_LIMITS = False
MFA_ADAPTER = "workflows.security.second_factor.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_FORMS = {
    "activate_totp": "workflows.security.second_factor.ActivationCode",
    "authenticate": "workflows.security.second_factor.SignInCode",
    "reauthenticate": "workflows.security.second_factor.ConfirmationCode",
}
SIGNALBOX_OIDC = os.environ.get("SIGNALBOX_OIDC", "")
"""SIGNALBOX_OIDC: address of an OpenID Connect provider whose users may sign in."""
SIGNALBOX_OIDC_NAME = os.environ.get("SIGNALBOX_OIDC_NAME", "single sign-on")
"""SIGNALBOX_OIDC_NAME: its name on the button; default: `single sign-on`."""
_client = os.environ.get("SIGNALBOX_OIDC_CLIENT", "")
"""SIGNALBOX_OIDC_CLIENT: id of this server at the provider."""
_secret = os.environ.get("SIGNALBOX_OIDC_SECRET", "")
"""SIGNALBOX_OIDC_SECRET: its secret there."""
SIGNALBOX_OIDC_GROUPS = os.environ.get("SIGNALBOX_OIDC_GROUPS", "")
"""SIGNALBOX_OIDC_GROUPS: claim with the groups of a user; memberships of groups follow it."""
SIGNALBOX_OIDC_ALLOWED = os.environ.get("SIGNALBOX_OIDC_ALLOWED", "")
"""SIGNALBOX_OIDC_ALLOWED: group of that claim that may sign in; default: all users."""
SIGNALBOX_OIDC_STAFF = os.environ.get("SIGNALBOX_OIDC_STAFF", "")
"""SIGNALBOX_OIDC_STAFF: group of that claim whose members are staff; default: as set here."""
if (SIGNALBOX_OIDC_ALLOWED or SIGNALBOX_OIDC_STAFF) and not SIGNALBOX_OIDC_GROUPS:
    raise ImproperlyConfigured("SIGNALBOX_OIDC_ALLOWED and …_STAFF need SIGNALBOX_OIDC_GROUPS.")
SOCIALACCOUNT_ADAPTER = "workflows.views.single_sign_on.SingleSignOn"
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {"openid_connect": {"APPS": []}}
if SIGNALBOX_OIDC:
    SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"].append(
        {
            "provider_id": "sso",
            "name": SIGNALBOX_OIDC_NAME,
            "client_id": _client,
            "secret": _secret,
            "settings": {"server_url": SIGNALBOX_OIDC, "oauth_pkce_enabled": True},
        }
    )
ANONYMOUS_USER_NAME = None
GUARDIAN_MONKEY_PATCH_USER = False
GUARDIAN_MONKEY_PATCH_GROUP = False
SILENCED_SYSTEM_CHECKS = ["guardian.W001"]
"""`roles.rights` reads the shares itself, so guardian's authentication backend has no use here."""
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = ROOT_PATH
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

STATIC_URL = f"{ROOT_PATH}static/"
CANVAS_MANIFEST = installation.CANVAS / "manifest.json"
STATICFILES_DIRS = [("dist", installation.CANVAS)] if installation.CANVAS.exists() else []
_collected = installation.ROOT / "staticfiles"
STATIC_ROOT = _collected if installation.IS_CHECKOUT and _collected.exists() else None
WHITENOISE_USE_FINDERS = True
# Their names have a hash of their content, so browsers keep them forever.
WHITENOISE_IMMUTABLE_FILE_TEST = r"/dist/assets/[^/]+-[\w-]{8}\.\w+$"
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
    "DEFAULT_PERMISSION_CLASSES": [
        "workflows.api.permissions.HasRights",
        "workflows.api.known_query.KnownQuery",
    ],
    "DEFAULT_RENDERER_CLASSES": ["workflows.api.renderers.AnyJSON"],
    "DEFAULT_PARSER_CLASSES": ["workflows.api.parsers.LimitedJSON"],
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
        "RunDescriptionSourceEnum": "workflows.api.serializers.runs.RUN_SOURCES",
        "ConnectionKindEnum": "workflows.providers.endpoint.KINDS",
        "TriggerKindEnum": "workflows.api.serializers.triggers.KINDS",
        "LevelEnum": "workflows.core.pack.findings.LEVELS",
        "TransitionKindEnum": "workflows.api.serializers.graph.TRANSITION_KINDS",
        "FindAreaEnum": "workflows.core.pack.find.AREAS",
        "TemplateSourceEnum": "workflows.api.serializers.templates.SOURCES",
        "ProposalStatusEnum": "workflows.api.serializers.consequences.PROPOSAL_STATUSES",
        "UpstreamStatusEnum": "workflows.api.serializers.repositories.STATUSES",
        "ChangeStatusEnum": "workflows.api.serializers.repositories.CHANGE_STATUSES",
        "RepositoryTaskStatusEnum": "workflows.api.serializers.repositories.TASK_STATUSES",
        "ScannedStatusEnum": "workflows.api.serializers.repositories.SCANNED_STATUSES",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "workflows.api.openapi.complete",
    ],
}
KNOX_TOKEN_MODEL = "workflows.Token"
REST_KNOX = {"TOKEN_TTL": None, "AUTH_HEADER_PREFIX": "Bearer"}

SIGNALBOX_REPOSITORIES = [Path(folder) for folder in _list("SIGNALBOX_REPOSITORIES")]
"""SIGNALBOX_REPOSITORIES: folders (separated by commas) whose git repositories packs are imported
from and exported to."""
SIGNALBOX_REPOSITORY_SIZE = _number("SIGNALBOX_REPOSITORY_SIZE") or 2048
"""SIGNALBOX_REPOSITORY_SIZE: MiB of the mirror of one repository. A fetch that passes it is
stopped."""
_git_home = os.environ.get("SIGNALBOX_GIT_HOME", "")
SIGNALBOX_GIT_HOME = Path(_git_home) if _git_home else None
"""SIGNALBOX_GIT_HOME: folder whose `.netrc` and `.ssh/id_*` repositories without a credential use;
default: none."""
SIGNALBOX_COMMANDS = os.environ.get("SIGNALBOX_COMMANDS") == "1"
"""SIGNALBOX_COMMANDS=1: runs that request it may run commands of their pack."""
SIGNALBOX_ISOLATION = os.environ.get("SIGNALBOX_ISOLATION", "")
"""SIGNALBOX_ISOLATION: `bubblewrap`, `namespaces` or `landlock` for commands, or `none`; default:
the best one that works."""
SIGNALBOX_COMMAND_PATHS = [Path(path) for path in _list("SIGNALBOX_COMMAND_PATHS")]
"""SIGNALBOX_COMMAND_PATHS: folders (separated by commas) that commands may read, although they are
in a home or a temporary folder."""
SIGNALBOX_COMMAND_MEMORY = _number("SIGNALBOX_COMMAND_MEMORY") or 2048
"""SIGNALBOX_COMMAND_MEMORY: MiB of memory of one command with its children."""
SIGNALBOX_ALL_COMMANDS_MEMORY = _number("SIGNALBOX_ALL_COMMANDS_MEMORY")
"""SIGNALBOX_ALL_COMMANDS_MEMORY: MiB of memory of all commands of one server or worker; default:
half of the machine's."""
SIGNALBOX_COMMAND_PROCESSES = _number("SIGNALBOX_COMMAND_PROCESSES") or 256
"""SIGNALBOX_COMMAND_PROCESSES: processes of one command."""
SIGNALBOX_COMMAND_DISK = _number("SIGNALBOX_COMMAND_DISK") or 2048
"""SIGNALBOX_COMMAND_DISK: MiB that one command may write."""
SIGNALBOX_USER_PACKS = _number("SIGNALBOX_USER_PACKS")
"""SIGNALBOX_USER_PACKS: packs that one user may own; default: any number."""
SIGNALBOX_USER_RUNS = _number("SIGNALBOX_USER_RUNS")
"""SIGNALBOX_USER_RUNS: runs of one user that have not ended; default: any number."""
SIGNALBOX_USER_DISK = _number("SIGNALBOX_USER_DISK")
"""SIGNALBOX_USER_DISK: MiB of one user's packs with their history, runs and workspaces; default:
any number."""
SIGNALBOX_PRIVATE_HOSTS = _list("SIGNALBOX_PRIVATE_HOSTS")
"""SIGNALBOX_PRIVATE_HOSTS: hosts (separated by commas) with private addresses that may be connected
to."""
SIGNALBOX_WORKER = os.environ.get("SIGNALBOX_WORKER", "none" if _database else "embedded")
"""SIGNALBOX_WORKER: `embedded` runs a worker inside the server, `none` leaves runs to `signalbox
worker`; default: embedded with SQLite, none with PostgreSQL."""
SIGNALBOX_ADDRESS = os.environ.get("SIGNALBOX_ADDRESS", "")
"""SIGNALBOX_ADDRESS: address of this server for links in messages, as https://signalbox.example."""
SIGNALBOX_SMTP = os.environ.get("SIGNALBOX_SMTP", "")
"""SIGNALBOX_SMTP: smtp://user:password@host:port (STARTTLS) or smtps://… sends messages about
approvals and sign-in links; smtp+plain://host:port is without encryption, for a mail server on the
same machine."""
_smtp = urlsplit(SIGNALBOX_SMTP)
if _smtp.scheme not in ("", "smtp", "smtps", "smtp+plain"):
    raise ImproperlyConfigured(
        "SIGNALBOX_SMTP has to begin with smtp://, smtps:// or smtp+plain://."
    )
EMAIL_HOST, EMAIL_PORT = _smtp.hostname or "localhost", _smtp.port or 587
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_smtp.username or ""), unquote(_smtp.password or "")
EMAIL_USE_SSL = _smtp.scheme == "smtps"
EMAIL_USE_TLS = _smtp.scheme == "smtp"
EMAIL_TIMEOUT = 15
DEFAULT_FROM_EMAIL = os.environ.get("SIGNALBOX_MAIL_FROM", "signalbox@localhost")
"""SIGNALBOX_MAIL_FROM: sender of messages."""
SIGNALBOX_APPROVAL_HOURS = _number("SIGNALBOX_APPROVAL_HOURS")
"""SIGNALBOX_APPROVAL_HOURS: hours after which an open approval is answered; default: never."""
SIGNALBOX_APPROVAL_OUTCOME = os.environ.get("SIGNALBOX_APPROVAL_OUTCOME", "deny")
"""SIGNALBOX_APPROVAL_OUTCOME: `deny` (default) or `approve`, which never runs a command."""
SIGNALBOX_WEBHOOK_RATE = _number("SIGNALBOX_WEBHOOK_RATE") or 60
"""SIGNALBOX_WEBHOOK_RATE: runs that one webhook may start in a minute."""
SIGNALBOX_KEEP_DAYS = _number("SIGNALBOX_KEEP_DAYS")
"""SIGNALBOX_KEEP_DAYS: days after which finished runs are deleted; default: never."""
SIGNALBOX_KEEP_FAILED_DAYS = _number("SIGNALBOX_KEEP_FAILED_DAYS")
if SIGNALBOX_KEEP_FAILED_DAYS is None:
    SIGNALBOX_KEEP_FAILED_DAYS = SIGNALBOX_KEEP_DAYS
"""SIGNALBOX_KEEP_FAILED_DAYS: days after which failed runs and runs without budget are deleted."""
SIGNALBOX_KEEP_AUDIT_DAYS = _number("SIGNALBOX_KEEP_AUDIT_DAYS")
"""SIGNALBOX_KEEP_AUDIT_DAYS: days after which entries of the audit log are deleted; default:
never."""
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
    "filters": {"without_traceback": {"()": "workflows.telemetry.logs.WithoutTraceback"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": _format}},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
        # workflows.security.sign_in_attempts logs what concerns an operator.
        "axes": {"level": "ERROR"},
        # A malformed response of a server is reported in the run; its bytes do not belong in the
        # log.
        "mcp.client": {"level": "CRITICAL"},
    },
    "root": {"handlers": ["console"], "level": os.environ.get("SIGNALBOX_LOG", "WARNING")},
}
