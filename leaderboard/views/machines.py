"""Where answers were measured."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.board.selection import Selection, with_selection
from leaderboard.lib import formatting
from leaderboard.models import Machine


@with_selection()
def machines(request: HttpRequest, selection: Selection) -> HttpResponse:
    """Every machine that measured something public (of the selection), the busiest of each architecture first."""
    shown = [
        {
            "uid": machine.uid,
            "arch": machine.arch,
            "cpu_model": machine.cpu_model,
            "emulated": machine.emulated,
            "result_count": getattr(machine, "result_count", 0),
            "described": [(name, value) for name, value in describe(machine) if value],
        }
        for machine in Machine.objects.with_public_counts(selection.narrowed)
    ]
    return render(request, "leaderboard/machines.html", {"section": "machines", "selection": selection, "machines": shown})


def describe(machine: Machine) -> list[tuple[str, str]]:
    """What the page says of it, empty where it is not known."""
    return [
        ("vCPUs", str(machine.vcpus or "")),
        ("Memory", f"{machine.memory_mb / 1024:.1f} GiB" if machine.memory_mb else ""),
        ("Linux", machine.kernel_release),
        ("Compiler", machine.compiler),
        ("Flags", machine.flags),
        ("C library", machine.libc),
        ("Page size", f"{machine.page_size_bytes:,} bytes" if machine.page_size_bytes else ""),
        ("Huge pages", machine.huge_pages),
        ("Sandbox", machine.backend),
        ("Isolation", str(machine.facts.get("isolation", ""))),
        ("Image", machine.image),
        ("First seen", formatting.utc(machine.first_seen)),
        ("Id in exports", machine.uid),
    ]
