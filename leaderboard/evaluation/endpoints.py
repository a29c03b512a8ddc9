"""The endpoints that the admin may ask, from the setting EVALUATION_ENDPOINTS.

Nobody types an address or a variable's name into a form: who could would have the site fetch whatever it can reach, or send a key
to a server of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from leaderboard.evaluation.request import BadEvaluationRequest, EvaluationRequest
from leaderboard.evaluation.secret import NAME


class Known(NamedTuple):
    base_url: str
    api_key_var: str  # "": it wants none


def known_endpoints(lines: Iterable[str]) -> dict[str, Known]:
    """Endpoints from texts "name=https://host/v1=KEY_VARIABLE" (the variable is optional). Raises ValueError."""
    found = {}
    for line in lines:
        name, _, rest = line.strip().partition("=")
        base_url, _, variable = rest.partition("=")
        try:
            EvaluationRequest(model="any", base_url=base_url)
        except BadEvaluationRequest as bad:
            raise ValueError(f"EVALUATION_ENDPOINTS: {name}: {str(bad).replace('--base-url', 'its address')}") from None
        if variable and not NAME.fullmatch(variable):
            raise ValueError(f"EVALUATION_ENDPOINTS: {name}: after the address stands the name of a variable, not a key")
        found[name] = Known(base_url, variable)
    return found
