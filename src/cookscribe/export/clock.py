"""Times as people and file formats write them."""


def clock(seconds: float) -> str:
    """`0:07`, `12:05` or `1:02:03`, rounded down to whole seconds, as players show them."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
