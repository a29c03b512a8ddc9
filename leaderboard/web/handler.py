"""Makes Django's requests from what gunicorn hands over, for wsgi.py."""

from __future__ import annotations

from typing import Any

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters


class Request(WSGIRequest):
    """Reads its address as UTF-8, whatever charset its Content-Type names. Django takes any codec of Python's, and those that
    make no text of bytes (rot13, base64) end it before a middleware could refuse the request (fit_requests.py)."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except (ValueError, LookupError):  # a parameter in a charset that nobody knows
            self.content_type, self.content_params = "", {}


class Handler(WSGIHandler):
    request_class = Request
