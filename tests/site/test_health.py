"""Whoever watches the process is answered, by whatever name and scheme they ask."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.wsgi import get_wsgi_application
from django.test import Client

from scripts import healthcheck

HOSTS = ("localhost", "127.0.0.1:8000", "10.1.2.3", "[2001:db8::1]:80", "board.example.org", "evil.example", "a b", "_", "-", "")


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.django_db
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("page", ["/healthz", "/readyz"])
def test_health_is_told_whatever_the_host_and_the_scheme(page, host, settings):
    settings.ALLOWED_HOSTS = ["board.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    client = Client(headers={"host": host})
    answer = client.get(page)
    assert (answer.status_code, answer.content.splitlines()[0]) == (200, b"ok")
    assert "no-store" in answer["Cache-Control"]
    assert client.head(page).status_code == 200


def test_other_pages_still_look_at_the_host(client, db, settings):
    settings.ALLOWED_HOSTS = ["board.example.org"]
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/healthz/", headers={"host": "evil.example"}).status_code == 400
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/", headers={"host": "board.example.org"}).status_code == 301


@pytest.mark.parametrize("hosts", [["board.example.org"], [".example.org", "10.0.0.1"], []])
def test_the_images_check_is_healthy_with_any_allowed_hosts(settings, hosts):
    settings.ALLOWED_HOSTS = hosts
    with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            assert healthcheck.answers(str(server.server_port))
        finally:
            server.shutdown()
    assert not healthcheck.answers(str(server.server_port))


def test_the_images_check_is_a_script_that_needs_nothing_else(tmp_path):
    done = subprocess.run([sys.executable, "-I", healthcheck.__file__], env=os.environ | {"PORT": "1"}, check=False)
    assert done.returncode == 0, "this process serves no pages, so that nothing is asked"
