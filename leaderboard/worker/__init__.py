"""The processes that work: the supervisor, the leases by which workers hold rows, the grader, the first steps of a start.

The supervisor starts one web process, the clusters of each architecture and the one for housekeeping, and wakes them every few
seconds. A wake-up runs a task of leaderboard/tasks.py, which claims due rows until its time is over. The grader keeps one
sandbox per architecture between answers; a worker that starts again takes over the sandbox of the one before it.
"""
