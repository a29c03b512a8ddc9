"""What a model is told beside a kernel's prompt, which is the same for every architecture."""

from __future__ import annotations

# An answer may use intrinsics and inline assembly, so its author has to know whose.
TOLD = (
    "You write fast, correct C. Your code is compiled and timed on {}: intrinsics and inline assembly, if you use any, must be "
    "of that architecture."
)
SYSTEM_PROMPTS = {"amd64": TOLD.format("amd64 (x86-64)"), "arm64": TOLD.format("arm64 (AArch64)")}
