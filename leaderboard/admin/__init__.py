"""The admin, one module per area. Importing them registers their pages.

The admin decides nothing itself: lists and forms check a permission (leaderboard/models/access.py), and call a service. Actions
on many rows first show what they would change, then run as a bulk action in the background. Results, submissions and machines
are read-only: what was measured can be invalidated or graded again, never edited.
"""

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django_q.models import Failure, OrmQ, Schedule, Success

from leaderboard.admin import bulk, bundles, catalog, evaluations, language_models, results, tokens

__all__ = ["bulk", "bundles", "catalog", "evaluations", "language_models", "results", "tokens"]

admin.site.site_header = "Arch Kernels"
admin.site.site_title = "Arch Kernels"
admin.site.index_title = "Administration"
admin.site.enable_nav_sidebar = False  # the lists need its width
for hidden in (Failure, OrmQ, Schedule, Success):  # messages are only wake-ups: the queue is the results' table
    admin.site.unregister(hidden)
for unused in (AccessAttempt, AccessFailureLog, AccessLog):  # failed logins are counted, not told one by one
    if admin.site.is_registered(unused):
        admin.site.unregister(unused)
admin.site.register(AccessAttempt, catalog.AttemptAdmin)  # the application's own has an action that asks for no right
