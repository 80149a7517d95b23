"""Stills for a made-up YouCook2 folder: rows of numbers that show what the sentence names, and a little noise."""

import json
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from cookscribe.model_folder import write_tensors
from tests.learning.made_up_youcook2 import FOODS, VERBS, write_folder

WIDTH = 320  # that of tinyvit


def write_stills(root: Path, cache: Path, training: int = 60, validation: int = 12, noise: float = 0.3) -> Path:
    """A made-up folder with one still per step, and its encoded rows in `cache`, so that no network is needed."""
    write_folder(root, training=training, validation=validation)
    path = root / "annotations" / "youcookii_ingredient_annotations_trainval.json"
    database = json.loads(path.read_text())["database"]
    rng = np.random.default_rng(1)
    directions = {word: rng.normal(size=WIDTH) for word in (*VERBS, *FOODS)}
    (root / "frames").mkdir()
    lines, rows = [], {}
    for key, video in database.items():
        sentences = [step["sentence"] for step in video["annotations"]]
        video["ner"] = [[f"{one.split()[0]}/Ac", f"{one.split()[-1]}/F", "pan/T"] for one in sentences]
        for number, sentence in enumerate(sentences):
            name = f"{key}_{number}.jpg"
            Image.fromarray(np.full((8, 8, 3), 90, np.uint8)).save(root / "frames" / name)
            known = {"file": name, "video_id": key, "split": video["subset"], "event_index": number}
            lines.append(json.dumps({**known, "segment": [0, 1], "sentence": sentence}))
            shown = directions[sentence.split()[0]] + directions[sentence.split()[-1]]
            rows[name] = torch.from_numpy((shown + noise * rng.normal(size=WIDTH) * 3).astype(np.float32))
    path.write_text(json.dumps({"database": database}))
    (root / "frames" / "frames.jsonl").write_text("\n".join(lines) + "\n")
    write_tensors(cache / "tinyvit.safetensors", rows, {"encoder": "tinyvit"})
    return root
