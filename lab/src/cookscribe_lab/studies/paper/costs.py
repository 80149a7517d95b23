"""`cookscribe study costs`: parameters and operations in the paper's unit, beside the true ones. Nothing is trained.

The paper counted with a tool that knows linear layers and little else, in multiply-adds: the linear layers of the
released base model alone have its 47.09 M parameters, and their multiply-adds over 20 steps of 22 tokens at N = 100 are
its 37.21 G, to the digit.
"""

import torch
from torch import nn

from cookscribe.model.batch import Inputs, Targets
from cookscribe.model.config import BOS, EOS, ModelConfig
from cookscribe.model.presets import preset
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe_lab.studies.core.comparable import LAYERS
from cookscribe_lab.studies.core.costs import count_operations
from cookscribe_lab.studies.core.plain_rows import COMPARABLE
from cookscribe_lab.studies.core.plain_rows import PDVC as PDVC_ROW
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.tables import Row, as_markdown, write_study
from cookscribe_lab.studies.paper import paper

STEPS, TOKENS, EVENTS, INGREDIENTS = 20, 22, 100, 10
LINEAR, LINEAR_MACS = "M parameters, linear", "G multiply-adds, linear"
ALL, ALL_MACS = "M parameters, all", "G multiply-adds, our program"
COLUMNS = (LINEAR, LINEAR_MACS, ALL, ALL_MACS)
PDVC_WORDS = 1607  # of the published captions
SMOKE = {"width": 16, "heads": 2}


def linear_parameters(model: nn.Module) -> int:
    """Of the linear layers alone: what the paper's counter saw."""
    layers = (module for module in model.modules() if isinstance(module, nn.Linear))
    return sum(value.numel() for layer in layers for value in layer.parameters())


def linear_macs(config: ModelConfig, events: int, ingredients: int, steps: int, tokens: int) -> int:
    """Multiply-adds of all linear layers over a recipe, computed as the released program does: all of it at every step.

    Only the memories' start (once) and mixing (not after the last step) happen less often.

    Args:
        events: N; ingredients: M; tokens: of a sentence, BOS and EOS included.
    """
    d, words = config.width, config.word_vector_size
    square = d * d
    listed = ingredients if config.ingredients else 0
    slots = events + 1
    step = 0
    for rows in (slots + listed, tokens + listed):
        # Self-attention 4, intermediate 1, reading 3 + 2, keys and values of the update 2; then what one cell costs:
        # its keys and values in reading 2, its query 1, the gates 4.
        step += config.layers * (12 * rows + 7) * square
    relative = 3 * (config.max_events + 1) if config.relative == "fixed" else 0
    step += slots * d * (config.outside_size + relative + 2 * config.absolute)
    step += tokens * words * d
    widest = d * (3 if config.textual_attention else 1)
    if config.output == "transform":
        step += tokens * (widest * d + d * config.vocabulary_size)
    else:
        step += tokens * widest * config.vocabulary_size
    step += 2 * listed * (words * d + (config.ingredient_layers - 1) * square)
    if config.simulator:
        step += 3 * (config.actions + listed + slots) * square
    start, mixing = 2 * config.layers * square, 4 * config.layers * square
    return steps * step + start + (steps - 1) * (mixing if config.mixing in ("paper", "gelu") else 0)


def true_macs(model: RecipeModel, events: int, ingredients: int, steps: int, tokens: int) -> float:
    """Multiply-adds of everything our program does in one pass over such a recipe; nothing is computed twice there."""
    config = model.config
    generator = torch.Generator().manual_seed(0)
    start = torch.rand(1, events, generator=generator).sort(dim=1).values * 0.9
    inputs = Inputs(
        features=torch.randn(1, events, config.feature_size, generator=generator),
        times=torch.stack((start, start + 0.1), dim=-1),
        scores=torch.full((1, events), 0.5),
        event_mask=torch.ones(1, events, dtype=torch.bool),
        texts=torch.zeros(1, events, 0, 0, dtype=torch.long),
        ingredients=torch.ones(1, ingredients, 1, dtype=torch.long),
        ingredient_mask=torch.ones(1, ingredients, dtype=torch.bool),
    )
    sentence = torch.tensor([BOS, *[4] * (tokens - 2), EOS])
    targets = Targets(
        events=torch.ones(1, steps, dtype=torch.long),
        words=sentence.expand(1, steps, -1),
        ingredient_used=torch.zeros(1, steps, ingredients, dtype=torch.bool),
        action_used=torch.zeros(1, steps, config.actions, dtype=torch.bool),
        word_ingredient=torch.zeros(1, steps, tokens - 1, ingredients, dtype=torch.bool),
        word_action=torch.full((1, steps, tokens - 1), -1),
        true_times=torch.zeros(1, steps, 2),
        true_mask=torch.ones(1, steps, dtype=torch.bool),
    )
    return count_operations(lambda: model.eval()(inputs, targets)) / 2


def ingredients_for(wanted: float) -> int:
    """How long an ingredient list would have to be for BI to need `wanted` multiply-adds."""
    config = preset("paper-bi")
    found = 0
    while linear_macs(config, EVENTS, found, STEPS, TOKENS) < wanted:
        found += 1
    return found


def run(options: StudyOptions) -> str:
    """The table of costs."""
    rows = []
    for letters in ("b", "bi", "biv", "bivt"):
        config = preset(f"paper-{letters}", **(SMOKE if options.smoke else {}))
        model = RecipeModel(config)
        figures = {
            LINEAR: [linear_parameters(model) / 1e6],
            LINEAR_MACS: [linear_macs(config, EVENTS, INGREDIENTS, STEPS, TOKENS) / 1e9],
            ALL: [sum(value.numel() for value in model.parameters()) / 1e6],
            ALL_MACS: [true_macs(model, EVENTS, INGREDIENTS, STEPS, TOKENS) / 1e9],
        }
        printed = dict(zip((LINEAR_MACS, LINEAR), paper.COSTS[letters.upper()], strict=False))
        rows.append(Row(letters.upper(), figures, printed))
    for name, layers in ((PDVC_ROW, 2), (COMPARABLE, LAYERS)):
        # Sizes of the paper's data: TSN features, the vocabulary of the published captions.
        deep = {"encoder_layers": layers, "decoder_layers": layers, "feature_size": 3072, "words": PDVC_WORDS}
        with torch.device("meta"):
            proposals = PDVC(ProposalConfig.preset("paper", **deep))
        figures = {ALL: [sum(value.numel() for value in proposals.parameters()) / 1e6]}
        rows.append(Row(name, figures, {ALL: paper.COSTS[name][1]}))
    needed = ingredients_for(1e9 * paper.COSTS["BI"][0])
    text = (
        f"Presets `paper-*`, N = {EVENTS}, {INGREDIENTS} ingredients, {STEPS} steps of {TOKENS} tokens. *Linear* "
        "counts linear layers only, as if all were computed anew at every step: the paper's unit. Our program computes "
        "once what stays the same, and attention is counted too.\n\n"
        f"{as_markdown(rows, 'preset `paper`', COLUMNS, 3)}\n"
        f"For BI's printed operations an ingredient list would need {needed} entries."
    )
    return write_study(options, "costs", text, rows)
