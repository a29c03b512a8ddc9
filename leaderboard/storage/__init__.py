"""What is kept on the host's disks: the media folder, caches, private files, the SQLite backend, and the room that they need.

Room is looked for before something is written (room.py), so that a full disk refuses an upload or makes a worker wait, and is
not run into. Everything in DATA_DIR is for its owner alone (private.py). Caches may lose anything at any time.
"""
