"""`manage.py evaluate`: a model is asked for answers through an OpenAI-compatible endpoint, and its replies become a bundle.

request.py says what is requested, secret.py holds the key, endpoint.py sends one request, patience.py decides when to try again,
folder.py keeps every reply as soon as it arrives, runner.py sends several requests at a time. What is kept is never requested
again, so an interrupted evaluation is resumed by the same command. Nothing here uses the database.
"""
