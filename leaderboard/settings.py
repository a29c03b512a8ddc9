"""Settings, all from the environment; the defaults serve one host with SQLite.

DATA_DIR (default: var/) holds everything that is written: the database, uploads, static files, cache, the secret key, logs.
"""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

import django
import environ
from django.core.exceptions import ImproperlyConfigured

from grading.files import kept_text
from leaderboard.lib import faults
from leaderboard.storage.private import make_folders

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DEBUG = env.bool("DEBUG", default=False)

DATA_DIR = Path(env.str("DATA_DIR", default="") or BASE_DIR / "var").resolve()
MEDIA_ROOT = DATA_DIR / "media"  # never served as it is: bundles are downloaded through the admin
STATIC_ROOT = DATA_DIR / "static"
FILE_UPLOAD_TEMP_DIR = str(MEDIA_ROOT / "incoming")  # on MEDIA_ROOT's filesystem, so that keeping an upload is a rename
faults.our_folder(DATA_DIR)
make_folders(DATA_DIR, MEDIA_ROOT, Path(FILE_UPLOAD_TEMP_DIR))
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700  # leaderboard/storage/private.py has the exceptions

# Database ------------------------------------------------------------------------------------------------------------------

DATABASE_URL = env.str("DATABASE_URL", default="")
ON_ONE_HOST = not DATABASE_URL
DATABASES: dict[str, dict[str, Any]] = {"default": env.db_url_config(DATABASE_URL or f"sqlite:///{DATA_DIR / 'db.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "leaderboard.storage.sqlite"  # a private file, to be read even when nothing can be written
    # Two clusters, a web server and eight writers: no "database is locked" with these, thousands with the defaults.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
    }
else:
    # No connection pool: the clusters fork, and processes that share a socket hang.
    DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Secret key ----------------------------------------------------------------------------------------------------------------


SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    # Clusters on other hosts must sign with the same key, else their messages are dropped: there it has to be given.
    if not (DEBUG or ON_ONE_HOST):
        raise ImproperlyConfigured("Set SECRET_KEY: with DATABASE_URL every process on every host needs the same one.")
    SECRET_KEY = kept_text(DATA_DIR / "secret_key", lambda: secrets.token_urlsafe(50))
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

# Of several processes that start together one brings the database to this version (leaderboard/worker/preparation.py).
PREPARE_WAIT_S = env.float("PREPARE_WAIT_S", default=1800.0)  # how long the others wait; then they end with an error

# Application ---------------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "axes",
    "csp",
    "django_q",
    "leaderboard",
]
MIDDLEWARE = [
    "leaderboard.web.health_first.HealthFirst",
    "leaderboard.web.host_faults.HostFaults",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.web.delivery.Delivery",  # sees all that the others make of an answer, cookies included
    "csp.middleware.CSPMiddleware",
    "leaderboard.web.fit_requests.RefuseUnfit",  # before anything looks into the database
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",  # last: turns a refused login into its page
]
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
AUTHENTICATION_BACKENDS = ["leaderboard.web.login_throttle.LoginThrottle", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
FORMAT_MODULE_PATH = ["leaderboard.dates"]

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"] if (BASE_DIR / "static").is_dir() else []
STORAGES = {
    "default": {"BACKEND": "leaderboard.storage.media.WholeFiles"},
    "staticfiles": {"BACKEND": "leaderboard.storage.media.Static"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # pages name only those; half the work of compressing
CACHES = {  # files, because the clusters' processes share it
    "default": {
        "BACKEND": "leaderboard.storage.caches.ForgivingFiles",
        "LOCATION": str(DATA_DIR / "cache"),
        "OPTIONS": {"MAX_ENTRIES": 2000},  # when there are more, a third is dropped: ranks of large sites take seconds
    },
    "figures": {  # drawn for papers, some 100 kB each
        "BACKEND": "leaderboard.storage.caches.ForgivingFiles",
        "LOCATION": str(DATA_DIR / "cache-figures"),
        "OPTIONS": {"MAX_ENTRIES": 500},
    },
    "pages": {  # as they are sent (leaderboard/web/page_cache.py)
        "BACKEND": "leaderboard.storage.caches.ForgivingFiles",
        "LOCATION": str(DATA_DIR / "cache-pages"),
        "OPTIONS": {"MAX_ENTRIES": 300},
    },
    "limits": {  # who has asked how often: many readers must not push the pages' summaries out
        "BACKEND": "leaderboard.storage.caches.ForgivingFiles",
        "LOCATION": str(DATA_DIR / "limits"),
        "OPTIONS": {"MAX_ENTRIES": 5000},
    },
}

# Security ------------------------------------------------------------------------------------------------------------------

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
if env.bool("HTTPS", default=False):  # behind a proxy that speaks TLS and sets X-Forwarded-Proto
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=3600)
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Mail: for new passwords, and nothing else
SENDS_MAIL = bool(env.str("EMAIL_URL", default=""))
_MAIL = env.email("EMAIL_URL", default="consolemail://")
if django.VERSION >= (6, 1):  # where the settings below are on their way out
    _OPTIONS = {"host": "HOST", "port": "PORT", "username": "HOST_USER", "password": "HOST_PASSWORD"}
    MAILERS = {"default": {"BACKEND": _MAIL["EMAIL_BACKEND"]}}
    if _MAIL["EMAIL_BACKEND"].endswith("smtp.EmailBackend"):
        MAILERS["default"]["OPTIONS"] = {
            **{option: _MAIL[f"EMAIL_{name}"] for option, name in _OPTIONS.items() if _MAIL.get(f"EMAIL_{name}")},
            **{option: _MAIL.get(f"EMAIL_{option.upper()}", False) for option in ("use_tls", "use_ssl")},
            "timeout": 20,
        }
    if not SENDS_MAIL:
        SILENCED_SYSTEM_CHECKS = ["mail.E001"]  # the console is no way to send mail, and nothing is sent
else:
    vars().update(_MAIL)
    EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default="arch-kernels@localhost")
SITE_URL = env.str("SITE_URL", default="")  # in mails; empty: as the request says, whose Host is one of ALLOWED_HOSTS
PASSWORD_RESET_TIMEOUT = 24 * 3600

# Failed logins, counted by name and address (leaderboard/web/login_throttle.py)
AXES_FAILURE_LIMIT = env.int("LOGIN_FAILURES", default=10)
AXES_COOLOFF_TIME = timedelta(minutes=env.int("LOGIN_PAUSE_MINUTES", default=15))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # by name alone, anybody could keep the admin out
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "leaderboard.web.client_address.client_address"
AXES_LOCKOUT_CALLABLE = "leaderboard.web.login_throttle.stopped"

# The web side --------------------------------------------------------------------------------------------------------------

CORES = len(os.sched_getaffinity(0))
WEB_WORKERS = env.int("WEB_WORKERS", default=min(max(CORES, 2), 8))  # processes
WEB_THREADS = env.int("WEB_THREADS", default=4)  # pages that each makes at the same time; no thread waits for a client
PAGES_KEPT_S = env.float("PAGES_KEPT_S", default=0.0)  # for everybody (leaderboard/web/page_cache.py); the supervisor gives 2

# Uploads -------------------------------------------------------------------------------------------------------------------

FILE_UPLOAD_HANDLERS = [
    "leaderboard.web.uploads.CappedUpload",  # first: neither Django nor gunicorn limits a file
    "leaderboard.web.uploads.KeptUpload",
]
DATA_UPLOAD_MAX_NUMBER_FIELDS = 12_000  # ten thousand rows selected in an admin list

UPLOAD_MAX_MB = env.int("UPLOAD_MAX_MB", default=1024)
LOW_DISK_MB = env.int("LOW_DISK_MB", default=500)  # free in DATA_DIR; with less the site is not ready (/readyz); 0: not looked at
BUNDLE_MAX_UNPACKED_MB = env.int("BUNDLE_MAX_UNPACKED_MB", default=4096)  # all files of an archive together
BUNDLE_MAX_RATIO = env.int("BUNDLE_MAX_RATIO", default=400)  # unpacked to packed: a bomb compresses better than any text
BUNDLE_MAX_FILES = env.int("BUNDLE_MAX_FILES", default=120_000)
BUNDLE_MAX_LINE_MB = env.int("BUNDLE_MAX_LINE_MB", default=8)
BUNDLE_MAX_VALUES = env.int(
    "BUNDLE_MAX_VALUES", default=500_000
)  # in one line: brackets take twenty times their length in memory
BUNDLE_MAX_REPLY_MB = env.int("BUNDLE_MAX_REPLY_MB", default=2)
BUNDLE_MAX_ROWS = env.int("BUNDLE_MAX_ROWS", default=300_000)
BUNDLE_MAX_MODELS = env.int("BUNDLE_MAX_MODELS", default=1000)
BUNDLE_MAX_HEADER_MB = env.int("BUNDLE_MAX_HEADER_MB", default=16)  # a zip's directory, a tar's extended headers
BUNDLE_MAX_WINDOW_MB = env.int("BUNDLE_MAX_WINDOW_MB", default=32)  # how far back zstd may refer: its memory
BUNDLE_REPORT_ROWS = env.int("BUNDLE_REPORT_ROWS", default=1000)  # skipped rows that are listed one by one; all are counted
BUNDLE_READ_NOW_MB = env.int("BUNDLE_READ_NOW_MB", default=8)  # smaller uploads are read within the request

# Grading -------------------------------------------------------------------------------------------------------------------

SANDBOXES = {  # the sandbox of each architecture; empty: none, its rows wait
    "amd64": env.str("SANDBOX_AMD64", default="local"),
    "arm64": env.str("SANDBOX_ARM64", default=""),
}
WORKERS = {  # clusters of each architecture on this host, a sandbox each; several only help where sandboxes are elsewhere
    "amd64": env.int("WORKERS_AMD64", default=1),
    "arm64": env.int("WORKERS_ARM64", default=1),
}
GRADER = env.str("ARCH_KERNELS_GRADER", default="leaderboard.worker.grader")  # the module that grades; tests put a quick one here
GRADING_ATTEMPTS = env.int("GRADING_ATTEMPTS", default=5)  # then a row is `failed`: visible, never a score
BACKOFF_S = env.float("BACKOFF_S", default=10.0)  # before the second attempt; three times as long before each further one
LEASE_S = env.int("LEASE_S", default=30)  # a worker that has not renewed for so long is dead
BEAT_S = env.float("BEAT_S", default=5.0)  # how often it renews, and says that it is alive
SWEEP_S = env.float("SWEEP_S", default=5.0)  # how often the supervisor wakes the clusters
HUNG_S = env.float("HUNG_S", default=40.0)  # a cluster that has not answered a wake-up for so long is restarted
TICK_S = env.float("TICK_S", default=120.0)  # a task goes on to the next row until then
TRIALS_PER_HOUR = env.int("TRIALS_PER_HOUR", default=20)  # of one person, under /try/
TRIALS_WAITING = env.int("TRIALS_WAITING", default=3)  # of one person at the same time
API_READS_PER_MINUTE = env.int("API_READS_PER_MINUTE", default=600)  # of one address, or one user's programs; 0: no limit
API_UPLOADS_PER_HOUR = env.int("API_UPLOADS_PER_HOUR", default=240)  # of one user; the command sends two requests per file
NINJA_NUM_PROXIES = env.int("TRUSTED_PROXIES", default=0)  # in front of the site: how much of X-Forwarded-For is believed
TRIAL_DAYS = env.int("TRIAL_DAYS", default=7)  # then a trial is deleted
EVALUATION_ENDPOINTS = env.list("EVALUATION_ENDPOINTS", default=[])  # that the admin may ask: name=address=key's variable
CONST_KB = 16.0  # an answer to a kernel of scalars waits likewise with so much more code and constants than the tuned baseline
TOO_GOOD = 3.0  # a speedup above so many times the best known waits for an operator to review it
OVER_LIMIT = 1.25  # so does a throughput above so many times the machine's limit, or our own baselines' where that is more

# The clusters --------------------------------------------------------------------------------------------------------------

Q_CLUSTER: dict[str, Any] = {
    "name": "arch-kernels",  # the same for all: it salts the signature of messages
    "orm": "default",
    "workers": 1,  # benchmarks never share a core
    "queue_limit": 1,
    "bulk": 1,
    "timeout": 1800,  # far above the grader's own deadlines and a wait for the host's lock
    "retry": 6000,  # above (queue_limit + 2) x timeout, else messages run twice
    "ack_failures": True,
    "save_limit": -1,  # messages are only wake-ups: nothing to keep of those that went well
    "catch_up": False,
    "poll": 1,
    "log_level": "WARNING",
    "ALT_CLUSTERS": {
        # amd64, amd64-2, ...: each is woken by its own messages, and all take their work from the same table
        **{arch: {} for arch in WORKERS},
        **{f"{arch}-{number}": {} for arch, workers in WORKERS.items() for number in range(2, workers + 1)},
        "housekeeping": {"timeout": 7200, "retry": 24_000},  # a large import takes its time
    },
}
CLUSTERS = tuple(Q_CLUSTER["ALT_CLUSTERS"])

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"once_per_minute": {"()": "leaderboard.lib.log_once.OncePerMinute"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["once_per_minute"]}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    # Else a line every wake-up and request, and several every drawn figure.
    "loggers": {name: {"level": "WARNING"} for name in ("django-q", "httpx", "kaleido", "choreographer")}
    | {"waitress.queue": {"level": "ERROR"}},  # a page that waits for a thread
}
