"""The presets of the recipe model, with each set of parts: the paper's, the same smaller, and ours for one core."""

from typing import Any

from cookscribe.errors import BadValueError
from cookscribe.model.config import ModelConfig

_LETTERS: dict[str, dict[str, Any]] = {
    "b": {},
    "bi": {"ingredients": True},
    "biv": {"ingredients": True, "simulator": True},
    "bivt": {"ingredients": True, "simulator": True, "textual_attention": True},
}


# What the paper does not say is the released program's; the sizes are the defaults of `ModelConfig`.
_PAPER: dict[str, Any] = {
    "relative": "fixed",
    "absolute": True,
    "output": "transform",
    "ingredient_layers": 2,
    "text_memory": "eos",
}

_SIZES: dict[str, dict[str, Any]] = {
    "paper": _PAPER,
    "faithful": _PAPER | {"width": 64, "heads": 4},
    "small": {
        "width": 128,
        "layers": 1,
        "heads": 4,
        "attention_dropout": 0.0,
        "teacher": "oracle",
        "absolute": True,
        "scores": True,
        "stop": "learned",
        "logits_scale": "sqrt",
        "action_states": "residual",
        "feedback": "choice",
        "planner": True,
    },
}


PRESETS: tuple[str, ...] = tuple(f"{size}-{letters}" for size in _SIZES for letters in _LETTERS)


def preset(name: str, **changes: Any) -> ModelConfig:
    """The preset called `name`, with single values replaced by `changes`."""
    size, _, letters = name.partition("-")
    if size not in _SIZES or letters not in _LETTERS:
        raise BadValueError(name, "is not a preset of the recipe model", f"choose one of {', '.join(PRESETS)}")
    return ModelConfig.parse({**_SIZES[size], **_LETTERS[letters], **changes}, name)
