"""The site's settings for tests: everything that is written goes to a temporary folder."""

import atexit
import os
import shutil
import tempfile

if "DATA_DIR" not in os.environ:
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="arch-kernels-tests-")
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

from leaderboard.settings import *  # noqa: F403

SECRET_KEY = "only for tests"
DATABASES["default"].setdefault("TEST", {})["NAME"] = (  # noqa: F405
    str(DATA_DIR / "test.sqlite3") if ON_ONE_HOST else None  # noqa: F405  # a file, so that threads meet in it as processes do
)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405  # whitenoise asks for it
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405  # no collectstatic needed
