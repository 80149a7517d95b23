"""`YouCook2`: the files of the dataset put together under one folder, each read when it is first asked for."""

from functools import cached_property
from pathlib import Path
from typing import Literal

from cookscribe.candidates import Candidates
from cookscribe.encoders.tsn import VideoLength, read_lengths
from cookscribe.errors import BadValueError, MissingFileError
from cookscribe.learning.datasets.glove import WordVectors
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.svpc import AlignedVideo, read_svpc
from cookscribe.learning.datasets.youcook2 import Tag, read_annotations, read_recipe_names, read_split_list, read_tags
from cookscribe.proposals.candidate_files import read_candidates
from cookscribe.senses.transcripts import Transcript, read_timed_transcripts, read_untimed_transcripts
from cookscribe.text.actions import read_action_list

# What each file is called under the root. docs/data.md says where each comes from.
FILES = {
    "annotations": "annotations/youcookii_annotations_trainval.json",
    "ingredients": "annotations/youcookii_ingredient_annotations_trainval.json",
    "lengths": "annotations/yc2_duration_frame.csv",
    "recipe names": "annotations/label_foodtype.csv",
    "testing ids": "annotations/splits/test_ids.txt",
    "aligned train": "svpc/bosselut_yc2_train_anet_format.json",
    "aligned val": "svpc/bosselut_split_yc2_val_anet_format.json",
    "aligned test": "svpc/bosselut_split_yc2_test_anet_format.json",
    "actions": "actions_384.json",
    "candidates": "candidates/pdvc_n25_val.json",
    "timed transcripts": "asr/asr_timed.jsonl",
    "untimed transcripts": "asr/transcripts_untimed.jsonl",
    "word vectors": "glove/glove300_yc2.npz",
    "frames": "frames/frames.jsonl",
}

AlignedCut = Literal["train", "val", "test"]


class YouCook2:
    """The dataset under `root`, the folder that holds `annotations/` (or holds `youcook2/annotations/`).

    A file that is not there raises `MissingFileError` naming it when it is needed, and only then.
    """

    def __init__(self, root: Path) -> None:
        root = Path(root)
        places = [place for place in (root, root / "youcook2") if (place / "annotations").is_dir()]
        if not places:
            raise MissingFileError(
                root, "holds no YouCook2 data (no `annotations` folder)", "see docs/data.md for the layout"
            )
        self.root = places[0]

    def path(self, name: str) -> Path:
        """Path of a file by its name in `FILES`; it must be there."""
        path = self.root / FILES[name]
        if not path.is_file():
            raise MissingFileError(path, f"the YouCook2 file of {name} is not there", "see docs/data.md for its source")
        return path

    def present(self) -> dict[str, bool]:
        """Which of `FILES` are there."""
        return {name: (self.root / place).is_file() for name, place in FILES.items()}

    @cached_property
    def _with_ingredients(self) -> dict[str, AnnotatedVideo]:
        return read_annotations(self.path("ingredients"))

    @cached_property
    def _published(self) -> dict[str, AnnotatedVideo]:
        return read_annotations(self.path("annotations"))

    def videos(self, split: str | None = None, *, ingredients: bool = True) -> dict[str, AnnotatedVideo]:
        """Annotated videos by id, of one split ("training" or "validation") or of both, in the order of the file.

        Args:
            split: None for all. "testing" has no annotations and is refused.
            ingredients: read the file with ingredient lists; without, the published file is enough.
        """
        if split not in (None, "training", "validation"):
            raise BadValueError(f"split {split!r}", "has no annotations", "choose training or validation")
        videos = self._with_ingredients if ingredients else self._published
        return {key: video for key, video in videos.items() if split in (None, video.split)}

    def lengths(self) -> dict[str, VideoLength]:
        """Duration and number of frames of all 2,000 videos, the testing ones included."""
        return read_lengths(self.path("lengths"))

    def durations(self) -> dict[str, float]:
        """Seconds by id."""
        return {key: length.duration for key, length in self.lengths().items()}

    def testing_ids(self) -> tuple[str, ...]:
        """Ids of the testing videos."""
        return read_split_list(self.path("testing ids"))

    def recipe_names(self) -> dict[str, str]:
        """Dish name by recipe type."""
        return read_recipe_names(self.path("recipe names"))

    def tags(self) -> dict[str, tuple[tuple[Tag, ...], ...]]:
        """Tagged phrases of each step by id."""
        return read_tags(self.path("ingredients"))

    def actions(self) -> tuple[str, ...]:
        """The action list: 384 verbs, position = number."""
        return read_action_list(self.path("actions"))

    def aligned(self, cut: AlignedCut) -> dict[str, AlignedVideo]:
        """The SVPC cut with word-matched ingredient alignments and actions, checked against `actions()`."""
        return read_svpc(self.path(f"aligned {cut}"), self.actions())

    def candidates(self) -> dict[str, Candidates]:
        """Candidate events by id: the public PDVC file of the validation split."""
        return read_candidates(self.path("candidates"))

    def transcripts(self, times: Literal["recognised", "spread", "either"] = "either") -> dict[str, Transcript]:
        """What is said, by id.

        `recognised` gives only transcripts with times of a recogniser, `spread` only words spread evenly over the
        video, `either` the first where it exists and the second elsewhere; `Transcript.timed` tells which.
        """
        found: dict[str, Transcript] = {}
        if times != "recognised":
            found |= read_untimed_transcripts(self.path("untimed transcripts"), self.durations())
        if times != "spread":
            found |= read_timed_transcripts(self.path("timed transcripts"))
        return found

    def word_vectors(self) -> WordVectors:
        """The 300-d GloVe vectors of the words of YouCook2."""
        return WordVectors.from_npz(self.path("word vectors"))
