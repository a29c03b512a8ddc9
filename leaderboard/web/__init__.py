"""What receives and answers requests, whatever page they ask for: the gunicorn worker, middleware, uploads, refusals.

A request passes in this order: the worker's loop receives it whole (gunicorn_worker.py), health checks are answered first
(health_first.py), text that no database takes is refused (fit_requests.py), and a page that is kept is sent from the cache
(page_cache.py). delivery.py decides for every answer who may keep it, and compresses it. Faults of the host become a page that
says so.
"""
