"""What receives and answers requests, whatever page they ask for: the gunicorn worker, middleware, uploads, refusals."""
