"""What is kept on the host's disks: the media folder, caches, private files, the SQLite backend, and the room that they need."""
