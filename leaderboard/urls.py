from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path

urlpatterns = [path("admin/", admin.site.urls)]
if find_spec("leaderboard.public_urls"):
    urlpatterns += [path("", include("leaderboard.public_urls"))]
