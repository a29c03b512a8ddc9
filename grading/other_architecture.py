"""Answers written for another architecture: the word for their author that the compiler does not say."""

from __future__ import annotations

import re

# What the compiler of an architecture says of things that only the other one has, most telling first.
SIGNS: dict[str, list[tuple[str, str]]] = {
    "arm64": [
        (r"fatal error: (?P<name>\w*intrin\.h|cpuid\.h): No such file", "{name} is an x86 header"),
        (
            r"(?:unknown type name|declaration of function) [‘'](?P<name>__m\d+\w*|_mm\w+|__builtin_ia32_\w+|_?_rdtscp?)",
            "{name} is x86's",
        ),
        (r"implicit declaration of function [‘'](?P<name>__builtin_cpu_(?:supports|init|is))", "{name} is x86's"),
        (r"pragma or attribute [‘']target\(\"(?P<name>[^\"]+)\"\)[’'] is not valid", 'target("{name}") is no target here'),
        (
            r"Error: unknown mnemonic [`‘'](?P<name>[^'’]+)",
            "its inline assembly has the instruction {name}, which is unknown here",
        ),
        (
            r"unknown register name [‘'](?P<name>%?[re]?[abcd][xhl]|%?[re]?[sd]i|%?[re][bs]p|%?[xyz]mm\d+)[’'] in",
            "its inline assembly names the x86 register {name}",
        ),
    ],
    "amd64": [
        (r"fatal error: (?P<name>arm_\w+\.h): No such file", "{name} is an Arm header"),
        (r"unknown type name [‘'](?P<name>(?:float|u?int|poly)\d+x\d+\w*_t|sv\w+_t)", "{name} is Arm's"),
        (r"implicit declaration of function [‘'](?P<name>__builtin_(?:aarch64|neon)_\w+)", "{name} is Arm's"),
        (r"bad value [‘'](?P<name>armv\d[^’']*)[’'] for [‘']target", 'target("arch={name}") is Arm\'s'),
        (
            r"Error: no such instruction: [`‘'](?P<name>[a-z]\w*)",
            "its inline assembly has the instruction {name}, which is unknown here",
        ),
        (r"unknown register name [‘'](?P<name>[xwvqd]\d+)[’'] in", "its inline assembly names the Arm register {name}"),
    ],
}


def written_for_another(compile_log: str, arch: str) -> str | None:
    """A sentence that names what only another architecture has, from the compiler's messages; None if nothing does."""
    for pattern, words in SIGNS.get(arch, []):
        if found := re.search(pattern, compile_log):
            return f"Does not compile: {words.format(name=found['name'][:60])}, this is {arch}."
    return None
