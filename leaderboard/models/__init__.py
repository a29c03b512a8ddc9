"""The tables: what was asked, who answered, what was graded where.

Writes go through services; reads through querysets.py.
"""

from leaderboard.models.bundles import Bundle, BundleModel
from leaderboard.models.catalog import Kernel, LanguageModel, ModelAlias
from leaderboard.models.ids import ARCH_CHOICES, public_id
from leaderboard.models.machines import Calibration, Machine
from leaderboard.models.results import Result, Standing
from leaderboard.models.submissions import BundleEntry, Submission, Trial
from leaderboard.models.tokens import ApiToken, UploadKey
from leaderboard.models.work import BulkAction, Evaluation, Worker

__all__ = [
    "ARCH_CHOICES",
    "ApiToken",
    "BulkAction",
    "Bundle",
    "BundleEntry",
    "BundleModel",
    "Calibration",
    "Evaluation",
    "Kernel",
    "LanguageModel",
    "Machine",
    "ModelAlias",
    "Result",
    "Standing",
    "Submission",
    "Trial",
    "UploadKey",
    "Worker",
    "public_id",
]
