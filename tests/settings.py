"""The site's settings for tests: what is written goes to a temporary folder, a separate one for each worker of pytest-xdist."""

import atexit
import os
import shutil
import tempfile

if "DATA_DIR" not in os.environ:
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="arch-kernels-tests-")
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)
    os.environ["ARCH_KERNELS_TESTS"] = os.environ["DATA_DIR"]
elif os.environ["DATA_DIR"] == os.environ.get("ARCH_KERNELS_TESTS") and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
    os.environ["DATA_DIR"] += f"/{worker}"  # inherited: in one folder, a test would meet the uploads and the cache of another
if os.environ.get("DATABASE_URL"):
    os.environ.setdefault("SECRET_KEY", "only for tests")  # the settings ask for one

from leaderboard.settings import *  # noqa: F403

SECRET_KEY = "only for tests"
DATABASES["default"].setdefault("TEST", {})["NAME"] = (  # noqa: F405
    str(DATA_DIR / "test.sqlite3") if ON_ONE_HOST else None  # noqa: F405  # a file, so that threads meet in it as processes do
)
# A test runs in a transaction, for whose end a renewal would wait. Tests of renewals set their own, and commit.
BEAT_S = 600.0
DATABASES["default"]["CONN_MAX_AGE"] = 0  # noqa: F405  # a connection that a server's thread keeps would keep the database, too
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405  # whitenoise asks for it
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405  # no collectstatic needed
