"""Times as file formats write them."""


def milliseconds(seconds: float) -> int:
    """Whole milliseconds, rounded to the nearest."""
    return round(seconds * 1000)


def timestamp(seconds: float, point: str = ".") -> str:
    """`HH:MM:SS.mmm`, hours always there; `point` is a comma in SRT."""
    total = milliseconds(seconds)
    return f"{total // 3_600_000:02d}:{total // 60_000 % 60:02d}:{total // 1000 % 60:02d}{point}{total % 1000:03d}"
