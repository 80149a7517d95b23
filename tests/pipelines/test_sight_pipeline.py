"""Silent films, with a made-up encoder and small made-up heads that see three things."""

from pathlib import Path

import numpy as np
import pytest
import torch

import films
from cookscribe.bundle import Bundle, BundleConfig
from cookscribe.cues import Cue, Cues
from cookscribe.encoders.base import Progress, silent
from cookscribe.errors import MissingDependencyError
from cookscribe.pipelines.base import Request
from cookscribe.pipelines.language import writer_folder
from cookscribe.pipelines.sight import SightPipeline, work_odds
from cookscribe.proposals.scenes import StepPrior
from cookscribe.recipe import Span
from cookscribe.scribe import Scribe
from cookscribe.senses.sight import Seen, Sight, SightConfig, SightModel
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile
from cookscribe.writer.choosing import Judge
from cookscribe.writer.evidence import FilmEvidence
from cookscribe.writer.language_writer import WriterConfig, Written

WORDS, KINDS = ("onion", "tofu", "fry", "pan"), ("food", "food", "action", "tool")
PRIOR = StepPrior(count=(0.28, 0.42), count_deviation=0.35, length=-0.97, length_deviation=0.77)
ONION, TOFU, STREET = np.eye(6)[0] * 6, np.eye(6)[1] * 6, np.eye(6)[5] * 6


def heads() -> Sight:
    """Column 0 of a row shows fried onion, column 1 tofu in a pan, column 4 a person; column 5 is no cooking."""
    config = SightConfig(
        encoder="made up",
        feature_size=6,
        words=WORDS,
        kinds=KINDS,
        memory=1,
        sharpness=1.0,
        judged=6,
        familiar=7.0,
        ingredient=(0.0, 1.0, 0.0, 0.0, -1.0),
    )
    model = SightModel(config)
    parameters = dict(model.named_parameters())
    parameters["scale"].data.fill_(1.0)
    parameters["prior"].data.fill_(-2.0)
    parameters["rates"].data.fill_(0.12)
    parameters["votes"].data.copy_(torch.tensor([[1.0, 0.0, 1.0, 0.0]] * 3))
    parameters["direct"].data[0] = torch.tensor([0.6, -0.2, 0.6, 0.0])
    parameters["direct"].data[1] = torch.tensor([-0.2, 0.6, -0.2, 0.6])
    parameters["scene"].data[4, 0] = 2.0
    parameters["scene_shift"].data.fill_(-4.0)
    parameters["precision"].data.copy_(torch.eye(384))
    parameters["usual"].data.copy_(torch.diag(torch.tensor([1.0, 1.0, 1.0, 1.0, 1.0, 9.0])))
    return Sight(model)


class MadeUp:
    """An encoder that knows a film's rows beforehand."""

    name, width = "made up", 6

    def __init__(self, rows: list[np.ndarray]) -> None:
        self.rows = rows
        self.looked = 0

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        self.looked += 1
        progress(1.0)
        values = np.array(self.rows, dtype=np.float32)
        return FeatureTrack(
            np.linspace(0, video.duration, len(values), endpoint=False), values, self.name, video.duration
        )


def pipeline(rows: list[np.ndarray]) -> SightPipeline:
    bundle = Bundle(Path("nowhere"), BundleConfig(kind="sight", name="made-up"))
    encoder = MadeUp(rows)
    return SightPipeline(bundle, lambda: encoder, heads(), PRIOR)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films.write_video(tmp_path_factory.mktemp("film") / "dinner.mp4", films.moving(80.0, 2.0))


def request(path: Path, ingredients: tuple[str, ...] = (), title: str = "") -> Request:
    return Request(VideoFile(path), ingredients, lambda: pytest.fail("somebody listened"), title=title)


def test_a_draft_names_what_is_seen_where_it_is_seen(film: Path) -> None:
    made = pipeline([ONION] * 40 + [TOFU] * 40)
    draft = made.draft(request(film))
    first, last = draft.steps[0], draft.steps[-1]
    assert "fry the onion" in first.sentence
    assert "the tofu" in last.sentence
    assert "in the pan" in last.sentence
    assert all(step.span[1] <= 41 or step.span[0] >= 39 for step in draft.steps), "no step goes over the change"
    assert list(draft.ingredients) == ["onion", "tofu"]
    assert "draft from pictures" in draft.notes[0]
    assert "--title, --ingredients" in draft.notes[1]
    assert made.encoder.looked == 1  # type: ignore[attr-defined]


def test_the_scribe_makes_a_recipe_of_it_that_says_it_is_weak(film: Path) -> None:
    made = pipeline([ONION] * 40 + [TOFU] * 40)
    recipe = Scribe(made.bundle, open_pipeline=lambda *_: made).write(film, title="mapo tofu")
    assert recipe.title == "mapo tofu"
    assert recipe.steps
    assert all(0 <= step.confidence <= 1 for step in recipe.steps)
    assert not any("--title" in note for note in recipe.warnings)


def test_of_a_list_only_what_is_listed_is_named(film: Path) -> None:
    draft = pipeline([ONION] * 40 + [TOFU] * 40).draft(request(film, ("silken tofu", "rice")))
    assert list(draft.ingredients) == ["silken tofu", "rice"]
    sentences = " ".join(step.sentence for step in draft.steps)
    assert "silken tofu" in draft.steps[-1].sentence
    assert "onion" not in sentences


def test_a_film_without_cooking_is_said_to_be_none(film: Path) -> None:
    for rows, said in (([STREET] * 80, "no food or cooking"), ([STREET] * 70 + [ONION] * 10, "hardly any")):
        made = pipeline(rows)
        asked = request(film)
        assert said in (made.without_cooking(asked) or "")
        draft = made.draft(asked)
        assert not draft.steps
        assert draft.notes[0].startswith(f"no recipe was found: {said}")
        assert made.encoder.looked == 1  # type: ignore[attr-defined]


def test_a_plain_picture_is_no_cooking_whatever_the_heads_say(tmp_path: Path) -> None:
    grey = ((float(second), films.flat((90, 90, 90))) for second in range(30))
    path = films.write_video(tmp_path / "grey.mp4", grey, rate=1)
    assert pipeline([ONION] * 30).without_cooking(request(path)) == "no food or cooking is seen in it"


def look(rows: list[np.ndarray]) -> Seen:
    values = np.array(rows, dtype=np.float32)
    return heads().look(FeatureTrack(np.arange(len(values)), values, "made up", float(len(values))))


def test_pictures_that_show_the_same_are_one_cue() -> None:
    cues = look([ONION] * 10 + [TOFU] * 6 + [ONION] * 4 + [STREET] * 5).cues()
    spans = {word: [] for word in WORDS}  # type: ignore[var-annotated]
    for cue in cues:
        assert cue.source == "seen"
        spans[cue.text].append((cue.span.start, cue.span.end))
    assert len(spans["onion"]) == 2
    assert len(spans["tofu"]) == 1
    start, end = spans["tofu"][0]
    assert abs(start - 10) <= 1
    assert abs(end - 16) <= 1
    assert max(cue.span.end for cue in cues) <= 21, "nothing is seen in a street"
    assert Cues() == look([STREET] * 3).cues()


def test_talk_and_strange_pictures_are_no_work() -> None:
    person = ONION + np.eye(6)[4] * 3
    odds = work_odds(look([ONION, person, STREET]))
    assert odds[0] > odds[1] > odds[2]


def test_a_track_of_other_features_is_refused() -> None:
    from cookscribe.errors import BadValueError

    with pytest.raises(BadValueError, match="columns"):
        heads().look(FeatureTrack(np.arange(3), np.zeros((3, 5), np.float32), "made up", 3.0))


def test_a_bundle_names_its_writer_from_its_own_folder(tmp_path: Path) -> None:
    shared = tmp_path / "writers" / "small"
    shared.mkdir(parents=True)
    (tmp_path / "bundle" / "writer").mkdir(parents=True)

    def named(**changes: str) -> Path | None:
        return writer_folder(Bundle(tmp_path / "bundle", BundleConfig(kind="sight", name="made-up", **changes)))

    assert named() == tmp_path / "bundle" / "writer"
    for name in ("../writers/small", str(shared)):
        found = named(writer=name)
        assert found is not None
        assert found.samefile(shared)
    with pytest.raises(MissingDependencyError, match="pip install"):
        named(writer="../writers/other")


def test_lines_on_the_screen_are_read_only_if_they_are_asked_for(film: Path) -> None:
    shown = Cues((Cue(Span(start=45.0, end=50.0), "read", "400 g tofu", 0.9),))
    asked = request(film)
    assert "400 g tofu" not in {cue.text for cue in pipeline([TOFU] * 80).draft(asked).cues or ()}
    asked.reader = lambda: lambda *_: shown  # type: ignore[assignment, return-value]
    del asked.read
    assert "400 g tofu" in {cue.text for cue in pipeline([TOFU] * 80).draft(asked).cues or ()}


class Fanciful:
    """A writer with more fancy than knowledge: of the same sentences for every event it takes what it is told fits."""

    CHOICES = ("add the onion to the soup", "fry the tofu in a pan", "go on")

    def __init__(self) -> None:
        self.read: list[FilmEvidence] = []
        self.config = WriterConfig()

    def write(self, films: list[FilmEvidence], judges: list[Judge], beam: int, *, whole: bool) -> list[list[Written]]:
        assert not whole, "not every event is asked about"
        assert beam == self.config.picture_beam > self.config.generation.beam, "the picture has more to choose from"
        self.read += films
        told = []
        for n, film in enumerate(films):
            fits = [judges[n](event, self.CHOICES) for event in range(len(film.events))]
            told.append([Written(self.CHOICES[int(np.argmax(fit))], -0.5) for fit in fits])
        return told


def fanciful(rows: list[np.ndarray]) -> SightPipeline:
    made = pipeline(rows)
    made.language = Fanciful()  # type: ignore[assignment]
    made.vectors = lambda sentences: np.zeros((len(sentences), 384), np.float32)  # type: ignore[assignment]
    return made


def test_a_food_that_is_neither_seen_nor_told_is_not_written(film: Path) -> None:
    made = fanciful([TOFU] * 80)
    assert {step.sentence for step in made.draft(request(film)).steps} == {"fry the tofu in a pan"}
    # Both foods are known from the title: the first sentence is as good as the second.
    titled = made.draft(request(film, title="onion and tofu soup"))
    assert {step.sentence for step in titled.steps} == {"add the onion to the soup"}


def test_where_nothing_is_clearly_seen_the_writer_is_not_believed(film: Path) -> None:
    made = fanciful([TOFU] * 40 + [np.zeros(6)] * 40)
    draft = made.draft(request(film))
    assert draft.steps[0].sentence == "fry the tofu in a pan"
    assert "tofu" not in draft.steps[-1].sentence
    assert "onion" not in draft.steps[-1].sentence
    assert made.language.read[0].events[0].seen  # type: ignore[union-attr]
