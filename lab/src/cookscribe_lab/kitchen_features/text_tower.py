"""The text tower of an imitated encoder: sentences as rows of the space its films lie in, as MIL-NCE's towers do."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe_lab.kitchen_features.looks import SIZE, action_look, food_look, vessel_look
from cookscribe_lab.kitchen_features.script import read_sentence
from cookscribe_lab.kitchen_features.streams import find_encoder, frozen_weights
from cookscribe_lab.kitchen_features.words import food


def text_vectors(sentences: Sequence[str], encoder: str = "milnce-like") -> NDArray[np.float32]:
    """(S, D): what each sentence names, seen by the encoder without any nuisance; words it does not know are left out.

    Look-alike foods have one vector, as they have one look.
    """
    meant = np.zeros((len(sentences), SIZE), dtype=np.float32)
    for row, sentence in zip(meant, map(read_sentence, sentences), strict=True):
        looks = [action_look(verb) for verb in sentence.actions]
        looks += [food_look(food(name)) for name, _ in sentence.foods]
        looks += [vessel_look(vessel) for vessel in sentence.vessels]
        row += np.sum(looks, axis=0) if looks else 0.0
    return np.asarray(find_encoder(encoder).scale * meant @ frozen_weights(encoder)[0], dtype=np.float32)
