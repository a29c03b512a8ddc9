from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.services import housekeeping


@pytest.mark.django_db
def test_what_a_killed_import_left_is_removed_after_a_day_and_not_before(settings: Any, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    (tmp_path / "unpacked-1" / "members").mkdir(parents=True)
    (tmp_path / "upload.tmp").write_bytes(b"half of it")
    outside = tmp_path.parent / "outside"
    outside.mkdir()
    (tmp_path / "link").symlink_to(outside)
    now = timezone.now()
    housekeeping.prune(now + timedelta(hours=23))
    assert len(list(tmp_path.iterdir())) == 3
    housekeeping.prune(now + timedelta(hours=25))
    assert list(tmp_path.iterdir()) == []
    assert outside.is_dir()
