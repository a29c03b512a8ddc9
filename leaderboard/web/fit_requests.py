"""Requests with characters or numbers that no database takes are refused with 400 and a sentence, alike on every database.

PostgreSQL refuses U+0000 in text and numbers beyond 64 bits, SQLite only the latter; both refuse lone surrogates. The address,
the parameters, the headers and the cookies are looked at before anything else. A form is looked at when it is parsed, by whoever
needs it first, so that a large upload streams as before. All text is UTF-8: in another charset, what is looked at here and what
a page reads could differ.
"""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.db import DataError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import SimpleTemplateResponse
from django.utils.datastructures import MultiValueDict
from django.utils.http import parse_header_parameters

from leaderboard.lib.text import UNFIT
from leaderboard.web import fit_lists
from leaderboard.web.refusals import nothing_there, refusal

log = logging.getLogger(__name__)
_LONG_NUMBER = re.compile(r"\d{1000}")  # Python itself reads none of more than 4300 digits
NO_UTF8 = "is not UTF-8 text"
NO_TEXT = "contains a character that is not text (NUL, or half of a surrogate pair)"
OUT_OF_RANGE = "The request contains a number or a date that is out of range."
NO_FILTER = "The list cannot be filtered or sorted like that: a parameter is unknown, or its value has the wrong type."
TOO_LARGE = ("Python int too large to convert", "date value out of range")  # how SQLite's driver and datetime say it
NO_KIND = "The header Content-Type cannot be read."
NO_CHARSET = "The form is in a charset that is not UTF-8: send it in UTF-8."
FORM = "application/x-www-form-urlencoded"
FORMS = (FORM, "multipart/form-data")


class Unfit(BadRequest):
    """What of the request no database takes; the message may be shown."""


class RefuseUnfit:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            check_head(request)
        except Unfit as unfit:
            return refusal(request, str(unfit))
        if _LONG_NUMBER.search(request.path_info):
            return nothing_there(request)
        look_at_the_form(request)
        response = self.get_response(request)
        # Django's lists answer what they cannot filter by with a redirect to themselves, with a mark that says so.
        is_refused_list = response.status_code == 302 and response.headers.get("Location") == f"{request.path}?e=1"
        return refusal(request, NO_FILTER) if is_refused_list else response

    def process_view(self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any) -> HttpResponse | None:
        try:
            reason = fit_lists.unfit(request, view, NO_FILTER)
        except Unfit as unfit:
            reason = str(unfit)
        return refusal(request, reason) if reason else None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The database's own refusal of a value: a number beyond its type, a date beyond the calendar."""
        if isinstance(error, Unfit):
            return refusal(request, str(error))
        if not (isinstance(error, (DataError, UnicodeEncodeError)) or str(error).startswith(TOO_LARGE)):
            return None
        log.warning("%s %s: a value is out of range: %s", request.method, request.path, error, exc_info=error)
        return refusal(request, OUT_OF_RANGE)

    def process_template_response(self, request: HttpRequest, response: SimpleTemplateResponse) -> SimpleTemplateResponse:
        """A list that is asked with that mark, and still cannot be filtered, has a page of Django's that blames the database."""
        if response.template_name == "admin/invalid_setup.html":
            response.template_name, response.status_code = "400.html", 400
            response.context_data = {"reason": NO_FILTER}
        return response


def check_head(request: HttpRequest) -> None:
    """Raises Unfit. Reads nothing of the body."""
    check("The address", [request.path_info])
    check_encoded("The query string", request.META.get("QUERY_STRING", "").encode("latin-1", "replace"))
    for name, value in request.META.items():
        if name.startswith("HTTP_") and isinstance(value, str):
            check(f"The header {name[5:].replace('_', '-').title()}", [value])
    for name, value in request.COOKIES.items():
        check("A cookie", [name, value])  # "\000" in a quoted one is a NUL
    check_kind(request)


def check_kind(request: HttpRequest) -> None:
    """Check the type of the body. Only a form has a charset; Django would read the address in it, too."""
    try:
        kind, parameters = parse_header_parameters(request.META.get("CONTENT_TYPE", ""))
    except (ValueError, LookupError):
        raise Unfit(NO_KIND) from None
    if kind in FORMS and not is_utf8(parameters.get("charset", "utf-8")):
        raise Unfit(NO_CHARSET)
    if request.encoding is not None:
        request.encoding = None  # type: ignore[assignment]  # as the settings say


def is_utf8(charset: str) -> bool:
    try:
        return codecs.lookup(charset.strip()).name in ("utf-8", "ascii")
    except (LookupError, ValueError):
        return False


def look_at_the_form(request: HttpRequest) -> None:
    """Check what a form holds as soon as it is parsed: on first use, by a method that is replaced on this request."""
    parse = request._load_post_and_files

    def parse_and_check() -> None:
        parse()
        try:
            check_form(request)
        except Unfit:
            request._post, request._files = QueryDict(), MultiValueDict()  # type: ignore[attr-defined]
            raise

    request._load_post_and_files = parse_and_check  # type: ignore[method-assign]


def check_form(request: HttpRequest) -> None:
    if request.method == "POST" and request.content_type == FORM:
        check_encoded("The form", request.body)
        return
    for name, values in request.POST.lists():
        check("The form", [name, *map(str, values)])
    for name, files in request.FILES.lists():
        check("The name of a file in the form", [name, *(str(file.name or "") for file in files)])


def check_encoded(what: str, raw: bytes) -> None:
    """Check percent-encoded text, in one pass over all of it."""
    try:
        check(what, [unquote_to_bytes(raw).decode()])
    except UnicodeDecodeError:
        raise Unfit(f"{what} {NO_UTF8}.") from None


def check(what: str, texts: Iterable[str]) -> None:
    if any(UNFIT.search(text) for text in texts):
        raise Unfit(f"{what} {NO_TEXT}.")
