"""The site's settings for tests: everything that is written goes to a temporary folder."""

import os
import tempfile

os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="arch-kernels-tests-"))

from leaderboard.settings import *  # noqa: F403

SECRET_KEY = "only for tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405  # no collectstatic needed
