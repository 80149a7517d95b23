"""Presets, their sizes, and choices that do not fit together."""

import pytest
from torch import nn

from cookscribe.errors import BadValueError
from cookscribe.model.config import LossConfig, ModelConfig
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.presets import PRESETS, preset
from cookscribe.model.recipe_model import RecipeModel

# docs/model.md explains how these differ from the paper's 47.09, 47.32, 52.7 and 52.7 M.
PARAMETERS = {"paper-b": 47_422_365, "paper-bi": 49_673_229, "paper-biv": 55_283_469, "paper-bivt": 56_463_117}
LINEAR = 768 * 768 + 768


def parameters(config: ModelConfig) -> int:
    return sum(value.numel() for value in RecipeModel(config).parameters())


def test_sizes_of_the_paper_and_where_they_come_from() -> None:
    counted = {name: parameters(preset(name)) for name in PARAMETERS}
    assert counted == PARAMETERS
    actions = 384
    encoder = 1000 * 300 + 2 * 300 + 300 * 768 + 768 + 2 * 768 + LINEAR + 2 * 768
    assert counted["paper-bi"] - counted["paper-b"] == 2 * encoder
    assert counted["paper-biv"] - counted["paper-bi"] == 9 * LINEAR + actions * 768
    assert counted["paper-bivt"] - counted["paper-biv"] == 2 * 768 * 768


def test_linear_layers_of_the_base_model_are_the_papers_count_to_the_digit() -> None:
    model = RecipeModel(preset("paper-b"))
    linear = sum(p.numel() for m in model.modules() if isinstance(m, nn.Linear) for p in m.parameters())
    assert linear == 47_092_451  # the paper prints 47.09 M


def test_faithful_is_the_papers_design_and_only_smaller() -> None:
    for letters in ("b", "bi", "biv", "bivt"):
        paper, faithful = preset(f"paper-{letters}"), preset(f"faithful-{letters}")
        assert faithful.width < paper.width
        assert faithful == paper.model_copy(update={"width": faithful.width, "heads": faithful.heads})


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_the_four_models(name: str) -> None:
    config = preset(name)
    assert config.letters.lower() == name.partition("-")[2]
    if name.startswith("paper"):
        assert (config.width, config.layers, config.heads, config.memory_cells) == (768, 2, 12, 1)
        assert (config.mixing, config.teacher) == ("paper", "gumbel")
        assert (config.feedback, config.order, config.action_states) == ("none", "free", "paper")


def test_configurations_are_the_same_after_a_file() -> None:
    chosen = (
        preset("small-bivt", planner_reads="features", redundancy=True, copying=True),
        LossConfig(redundancy=1.0),
        DecodingConfig(vote=True, may_repeat=(3, 5)),
    )
    for config in chosen:
        assert type(config).parse(config.model_dump(mode="json")) == config


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 30, "heads": 4}, "multiple of heads"),
        ({"simulator": True}, "needs ingredients"),
        ({"ingredients": True, "textual_attention": True}, "switch the simulator on"),
        ({"mixing": "shaken"}, "got 'shaken'"),
        ({"mixing": "reset", "feedback": "choice"}, "keeps none"),
        ({"widht": 8}, "widht"),
        ({"width": 2 * 10**9}, "width: .* less than or equal to 8192"),
        ({"layers": 10**6}, "layers"),
        ({"vocabulary_size": 10**12}, "vocabulary_size"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        preset("paper-b", **changes)


def test_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(BadValueError, match="choose one of paper-b, paper-bi"):
        preset("huge-b")
