DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"  # UTC, as everywhere
