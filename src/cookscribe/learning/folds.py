"""Training out of fold: one model that learns from all videos, and one more per fold that never sees it.

A model run on the videos it learnt from gives other answers than on new ones: nearer to the truth and surer of
themselves. What is trained on such answers learns to trust what it will never see again. So the videos are cut into
folds, and the answers for a fold come from the model that was trained without it.

The whole model lies in a folder, the others in `fold-1`, `fold-2`, ... inside it, and `folds.json` says which videos
each of these did not see.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from cookscribe.errors import BadFileError
from cookscribe.files import read_json, write_json
from cookscribe.learning.datasets.splits import folds

FOLDS = "folds.json"
Made = TypeVar("Made")
Answer = TypeVar("Answer")


def train_with_folds(
    ids: Iterable[str],
    count: int,
    out: Path,
    train: Callable[[list[str], Path], Made],
    *,
    copies: Callable[[str], Sequence[str]] | None = None,
) -> list[Made]:
    """Train on all videos, and once more without each fold. The same call goes on after an interrupt if `train` does.

    Args:
        ids: the videos.
        count: number of folds; 0 trains on all videos only.
        out: folder of the whole model.
        train: trains on the ids it is given into a folder.
        copies: all ids that belong to a video, itself included, for videos of which there are other versions.

    Returns:
        What `train` returned: for the whole model first, then fold by fold.
    """
    ids = list(ids)
    # Cut first: what cannot be cut is refused before hours of training.
    parts = folds(ids, count) if count else ()
    made = [train(ids, out)]
    for number, part in enumerate(parts, 1):
        made.append(train([key for key in ids if key not in set(part)], out / f"fold-{number}"))
    if parts:
        # Last, because its presence says that all models are there.
        kept = [[one for key in part for one in (copies(key) if copies else (key,))] for part in parts]
        write_json(out / FOLDS, {"folds": kept})
    return made


def read_folds(folder: Path) -> dict[str, Path]:
    """Video id to the folder of the model that did not see it; empty when the model has no folds."""
    path = Path(folder) / FOLDS
    if not path.is_file():
        return {}
    data = read_json(path)
    parts = data.get("folds") if isinstance(data, dict) else None
    if not isinstance(parts, list) or not all(isinstance(part, list) for part in parts):
        raise BadFileError(path, "is not a list of folds", "train again")
    return {str(key): Path(folder) / f"fold-{number}" for number, part in enumerate(parts, 1) for key in part}


def answers_out_of_fold(
    folder: Path,
    ids: Sequence[str],
    answer: Callable[[Path, list[str]], Mapping[str, Answer]],
    *,
    in_fold: bool = False,
) -> dict[str, Answer]:
    """Answers by id, in the order of `ids`, each from a model that did not see the video.

    Args:
        folder: of the whole model; it answers for videos of no fold.
        answer: what the model of a folder says of the given ids.
        in_fold: let the whole model answer for all.
    """
    of_video = {} if in_fold else read_folds(folder)
    groups: dict[Path, list[str]] = {}
    for key in ids:
        groups.setdefault(of_video.get(key, Path(folder)), []).append(key)
    found: dict[str, Answer] = {}
    for model in sorted(groups):
        found |= answer(model, groups[model])
    return {key: found[key] for key in ids}
