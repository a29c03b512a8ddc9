import os

import django

from leaderboard.web.handler import Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

django.setup(set_prefix=False)
application = Handler()
