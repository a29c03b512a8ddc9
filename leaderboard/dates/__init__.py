"""How the admin writes dates: Django's own English ones are in twelve hours (FORMAT_MODULE_PATH)."""
