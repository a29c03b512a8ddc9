"""Ask a site for everything that anybody may see, and for every list of the admin: a program, with the settings of a real site.

    python -m tests.site.ask_everything make | ask

`ask` prints {address: [status, beginning of what it says]}. ARCH_KERNELS_KEPT_OPEN: another connection is open meanwhile, as the
supervisor's is.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import chain
from typing import Any

import django

USER = "reader"


def make() -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from leaderboard.services import tokens
    from tests.api.test_everywhere import make_shown

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    make_shown()
    user = User.objects.create_superuser(USER, password="secret word")
    client = Client()
    client.force_login(user)
    print(json.dumps({"session": client.cookies["sessionid"].value, "token": tokens.make(user, "a script")[1]}))


def ask(session: str, token: str) -> dict[str, Any]:
    from django.contrib import admin
    from django.db import connections
    from django.test import Client
    from django.urls import reverse

    from tests.api.test_everywhere import PUBLIC

    if os.environ.get("ARCH_KERNELS_KEPT_OPEN"):
        kept = connections.create_connection("default")
        kept.cursor().execute("select count(*) from auth_user")
    anybody, staff = Client(raise_request_exception=False), Client(raise_request_exception=False)
    staff.cookies["sessionid"] = session
    program = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"})
    lists = [reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") for model in admin.site._registry]
    asked = [(anybody, address) for address in chain.from_iterable(PUBLIC.values())]
    asked += [(staff, address) for address in ("/admin/", "/admin/leaderboard/bundle/1/change/", *lists)]
    asked += [(staff, "/try/"), (program, "/api/bundles/nothing")]
    found = {}
    for client, address in asked:
        response = client.get(address)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        found[address] = (response.status_code, body[:300].decode(errors="replace"))
    response = anybody.post("/try/login/", {"username": USER, "password": "wrong"})
    found["wrong password"] = (response.status_code, response.content.decode()[:3000])
    response = anybody.post("/admin/login/", {"username": USER, "password": "secret word", "next": "/admin/"})
    found["right password"] = (response.status_code, response.content.decode()[:3000])
    return found


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    os.environ["ALLOWED_HOSTS"] = "testserver"
    django.setup()
    print(json.dumps(ask(*sys.argv[2:]))) if sys.argv[1] == "ask" else make()
