"""Delete what killed uploads and imports leave behind in the folder for unfinished files."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

RETENTION = timedelta(days=1)  # no upload and no import takes as long


def prune(now: datetime) -> None:
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir():
        try:
            if path.lstat().st_mtime > (now - RETENTION).timestamp():
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except FileNotFoundError:  # somebody else was faster
            pass
