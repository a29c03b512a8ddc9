"""The admin as a person uses it: upload a file, choose rows, act on them, answer the question."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from leaderboard.models import BulkAction


def upload(client: Client, data: bytes, name: str = "answers.jsonl", **fields: Any) -> Any:
    file = io.BytesIO(data)
    file.name = name
    return client.post(reverse("admin:leaderboard_bundle_add"), {"file": file, "public": "1"} | fields, follow=True)


def act(client: Client, model: str, action: str, rows: Iterable[Any], query: str = "", **fields: Any) -> Any:
    """Choose rows in a list, and an action: the page that comes of it."""
    ids = [row.pk for row in rows]
    address = reverse(f"admin:leaderboard_{model}_changelist") + query
    return client.post(address, {"action": action, "_selected_action": ids} | fields, follow=True)


def answer(client: Client, page: Any, **fields: Any) -> Any:
    """Press the button of the page that asks."""
    assert BulkAction.objects.filter(state="asked").exists(), text_of(page)
    return client.post(page.redirect_chain[-1][0], fields, follow=True)


def text_of(page: HttpResponse) -> str:
    """What is to be read on a page, with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))
