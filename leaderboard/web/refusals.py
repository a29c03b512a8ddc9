"""What a request that makes no sense is answered with: a page for people, one sentence in JSON for programs."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

NO_SENSE = "This site does not understand the request."


def refusal(request: HttpRequest, reason: str, status: int = 400) -> HttpResponse:
    """Programs get JSON: under /api/, for a figure's or record's data, and for whoever asks for it."""
    if wants_json(request):
        return JsonResponse({"detail": reason}, status=status)
    return render(request, "400.html", {"reason": reason}, status=status)


def nothing_there(request: HttpRequest) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"detail": "There is no such address."}, status=404)
    return render(request, "404.html", status=404)


def wants_json(request: HttpRequest) -> bool:
    address = request.path_info
    asked = request.META.get("HTTP_ACCEPT", "").startswith("application/json")
    return address.startswith("/api/") or address.endswith(".json") or asked


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400. Only our own sentences are shown: its own speak of settings."""
    return refusal(request, str(exception) if isinstance(exception, BadRequest) and str(exception) else NO_SENSE)
