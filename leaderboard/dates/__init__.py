"""How the admin writes dates (FORMAT_MODULE_PATH): with 24 hours, where Django's own English formats have twelve."""
