"""The four kinds of work that processes hold leases on."""

from __future__ import annotations

from leaderboard.services import bulk_actions, bundle_lease, evaluations, queueing

ALL = (queueing.RESULTS, bundle_lease.BUNDLES, bulk_actions.ACTIONS, evaluations.EVALUATIONS)


def give_back(*workers: str) -> int:
    """Give back what these processes held when the site ended: no attempt is counted. Returns the number of rows."""
    return sum(leases.give_back_of(*workers) for leases in ALL)
