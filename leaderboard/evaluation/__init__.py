"""`manage.py evaluate`: a model is asked for answers through an OpenAI-compatible endpoint, and what it replies becomes a bundle.

asking.py says what is asked, secret.py holds the key, endpoint.py asks once, patience.py again, folder.py keeps every reply as
soon as it is there, runner.py asks for several at a time. Nothing here touches the database.
"""
