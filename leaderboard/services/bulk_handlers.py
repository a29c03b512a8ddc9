"""What actions on many rows do to one chunk of them. Each returns what it did, in words: {"gradings queued": 1000}."""

from __future__ import annotations

from collections.abc import Callable

from grading.architectures import ARCHS
from leaderboard.models import ApiToken, Bundle, BundleEntry, LanguageModel, Result, Submission
from leaderboard.services import deletion, moderation, priorities, queueing, taking_back, tokens, visibility

Done = dict[str, int]
Beat = Callable[[], None]  # called between the steps of a long chunk, when one is done for good
OURS = {"identity__startswith": "baseline:"}


# Answers


def regrade_answers(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"gradings queued": queueing.regrade(Submission.objects.filter(pk__in=ids))}


def publish_answers(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"answers made public": visibility.show(ids, True)}


def hide_answers(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"answers made private": visibility.show(ids, False)}


def delete_answers(ids: list[int], reason: str, beat: Beat) -> Done:
    chosen = list(Submission.objects.filter(pk__in=ids).exclude(**OURS).values_list("pk", flat=True))
    return {
        "answers deleted": len(chosen),
        "of their gradings deleted": taking_back.delete_answers(chosen),
        "rows left: our own baselines": Submission.objects.filter(pk__in=ids, **OURS).count(),
    }


def lost_with_answers(ids: list[int]) -> Done:
    chosen = Submission.objects.filter(pk__in=ids).exclude(**OURS)
    results = Result.objects.filter(submission__in=chosen)
    return {
        "answers, out of every bundle": chosen.count(),
        "gradings of these answers": results.count(),
        "of them still to be done": results.exclude(state=Result.State.DONE).count(),
    }


# Results


def regrade_results(ids: list[int], reason: str, beat: Beat) -> Done:
    queued = 0
    for arch in ARCHS:
        chosen = Result.objects.filter(pk__in=ids, arch=arch).order_by().values("submission")
        queued += queueing.regrade(Submission.objects.filter(pk__in=chosen), [arch])
    return {"gradings queued": queued}


def revive_results(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"gradings queued": queueing.revive(Result.objects.filter(pk__in=ids).failed())}


def invalidate_results(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"results declared invalid": moderation.invalidate(Result.objects.filter(pk__in=ids).only("pk"), reason)}


def validate_results(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"results valid again": moderation.validate(Result.objects.filter(pk__in=ids).only("pk"))}


def flag_results(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"results flagged": moderation.flag(Result.objects.filter(pk__in=ids).only("pk"), reason)}


def clear_flags(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"flags cleared": moderation.clear_flag(Result.objects.filter(pk__in=ids).only("pk"), reason)}


def move_first(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"queued gradings moved": queueing.prioritise(Result.objects.filter(pk__in=ids), priorities.STAFF_FIRST)}


def move_last(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"queued gradings moved": queueing.prioritise(Result.objects.filter(pk__in=ids), priorities.STAFF_LAST)}


def cancel_results(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"gradings cancelled": queueing.cancel(Result.objects.filter(pk__in=ids))}


def delete_results(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"gradings deleted": moderation.delete(Result.objects.filter(pk__in=ids).only("pk"))}


def lost_with_results(ids: list[int]) -> Done:
    rows = Result.objects.filter(pk__in=ids)
    return {
        "gradings": rows.count(),
        "of them current: an earlier one takes their place, if there is one": rows.current().count(),
        "of them still to be done": rows.exclude(state=Result.State.DONE).count(),
    }


def lost_with_cancelling(ids: list[int]) -> Done:
    rows = Result.objects.filter(pk__in=ids)
    return {
        "gradings that are not done": rows.exclude(state=Result.State.DONE).count(),
        "results that are done, and stay": rows.done().count(),
    }


def lost_with_invalidating(ids: list[int]) -> Done:
    rows = Result.objects.filter(pk__in=ids)
    return {
        "results that stop counting": rows.done().filter(invalidated=False).count(),
        "rows that are not done or already invalid, and stay as they are": rows.exclude(state="done", invalidated=False).count(),
    }


# Bundles, a chunk each


def publish_bundles(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"answers made public": sum(visibility.set_public(row, True) for row in Bundle.objects.filter(pk__in=ids))}


def hide_bundles(ids: list[int], reason: str, beat: Beat) -> Done:
    return {"answers made private": sum(visibility.set_public(row, False) for row in Bundle.objects.filter(pk__in=ids))}


def delete_bundles(ids: list[int], reason: str, beat: Beat) -> Done:
    losses = [deletion.delete_bundle(bundle, beat) for bundle in Bundle.objects.filter(pk__in=ids)]
    return {
        "bundles deleted": len(losses),
        "answers deleted": sum(loss.submissions for loss in losses),
        "of their gradings deleted": sum(loss.results for loss in losses),
        "models deleted": sum(len(loss.models) for loss in losses),
        "answers kept: other bundles brought them too": sum(loss.kept for loss in losses),
    }


def lost_with_bundles(ids: list[int]) -> Done:
    brought = Submission.objects.filter(entries__bundle__in=ids).distinct()
    others = BundleEntry.objects.exclude(bundle__in=ids).values("submission")
    only = brought.exclude(pk__in=others)
    rest = Submission.objects.exclude(pk__in=only.values("pk")).values("model")
    return {
        "bundles": Bundle.objects.filter(pk__in=ids).count(),
        "answers that only they brought": only.count(),
        "gradings of these answers": Result.objects.filter(submission__in=only.values("pk")).count(),
        "models without any other answer": LanguageModel.objects.filter(pk__in=only.values("model")).exclude(pk__in=rest).count(),
        "answers of other bundles too: they stay": brought.filter(pk__in=others).count(),
    }


def shown_with_bundles(ids: list[int]) -> Done:
    return {
        "bundles": Bundle.objects.filter(pk__in=ids).count(),
        "answers in them": Submission.objects.filter(entries__bundle__in=ids).distinct().count(),
    }


def shown_with_answers(ids: list[int]) -> Done:
    chosen = Submission.objects.filter(pk__in=ids)
    return {"answers": len(ids), "of them public now": chosen.filter(public=True).count()}


# Tokens


def revoke_tokens(ids: list[int], reason: str, beat: Beat) -> Done:
    living = list(ApiToken.objects.filter(pk__in=ids, revoked_at=None))
    for token in living:
        tokens.revoke(token)
    return {"tokens revoked": len(living)}


def lost_with_tokens(ids: list[int]) -> Done:
    return {"tokens that stop working": ApiToken.objects.filter(pk__in=ids, revoked_at=None).count()}
