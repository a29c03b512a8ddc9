import os

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "Arch Kernels"

    def ready(self) -> None:
        from django_q.signals import post_spawn

        from leaderboard.lib.processes import die_with_parent
        from leaderboard.tasks import stop_gracefully

        post_spawn.connect(stop_gracefully, dispatch_uid="stop_gracefully")
        if os.environ.get("ARCH_KERNELS_SUPERVISED"):
            # A cluster's processes outlive a parent that is killed: the supervisor's children must not.
            os.register_at_fork(after_in_child=die_with_parent)
