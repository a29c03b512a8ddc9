"""The Django site: bundles come in, answers are graded, numbers go out.

A layer imports only from the layers below it (`[tool.importlinter]` in pyproject.toml): commands, views and the API at the top,
then services and exports, then the board and the queue, then models, then lib. docs/architecture.md follows an answer through
all of them.
"""
