"""The tables: what was asked, who answered, what was graded where.

A Bundle brings Submissions (one answer each); a Submission has Results (one grading each, first the job, then its record);
Standings sum up current results. Rows are chosen by the querysets (querysets.py), in which every rule about what counts is
written once, and access.py says who may see and change what. Writes go through services.
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
