"""Fixed cuts of a list of videos: a development part, folds, subsets. All follow from the ids and a seed alone.

Videos are ranked by a hash of seed and id. The order in which they are given does not matter, and a video more or less
moves hardly any of the others.
"""

from collections.abc import Iterable

from cookscribe.errors import BadValueError
from cookscribe.seeds import derived_seed


def ranked(ids: Iterable[str], purpose: str, seed: int = 0) -> list[str]:
    """The distinct ids in the order of their hash; different purposes and seeds give unrelated orders."""
    return sorted(set(ids), key=lambda video_id: (derived_seed(purpose, seed, video_id), video_id))


def development_split(
    ids: Iterable[str], share: float = 0.1, *, seed: int = 0
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cut training videos into (rest, development), each sorted.

    Models are chosen on the development part, so that the validation split stays unseen until it is reported on.

    Args:
        ids: the training videos.
        share: part of them to carve out, more than 0 and less than 1; at least one video, never all.
        seed: another seed gives another cut.
    """
    order = ranked(ids, "development", seed)
    if not 0 < share < 1 or len(order) < 2:
        raise BadValueError("development split", f"cannot cut a share of {share} from {len(order)} videos")
    count = min(max(round(share * len(order)), 1), len(order) - 1)
    return tuple(sorted(order[count:])), tuple(sorted(order[:count]))


def folds(ids: Iterable[str], count: int, *, seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """Cut videos into `count` folds whose sizes differ by one at most, each sorted."""
    order = ranked(ids, "folds", seed)
    if not 2 <= count <= len(order):
        raise BadValueError(
            "folds", f"cannot make {count} folds of {len(order)} videos", "choose 2 or more, not too many"
        )
    borders = [len(order) * n // count for n in range(count + 1)]
    return tuple(tuple(sorted(order[borders[n] : borders[n + 1]])) for n in range(count))


def subset(ids: Iterable[str], count: int, *, seed: int = 0) -> tuple[str, ...]:
    """`count` of the videos, sorted. Smaller subsets of the same seed are contained in larger ones."""
    order = ranked(ids, "subset", seed)
    if not 0 <= count <= len(order):
        raise BadValueError("subset", f"cannot choose {count} of {len(order)} videos")
    return tuple(sorted(order[:count]))
