"""Tokens against the recorded output of the Java tokenizer, and against the program on every real sentence."""

import json
from pathlib import Path

from cookscribe.text.tokens import ptb_tokens
from tests.text.test_tokens import java_tokens


def test_recorded_cases(golden_folder: Path) -> None:
    units = json.loads((golden_folder / "units.json").read_text())
    assert units["ptb"]
    for case in units["ptb"]:
        assert " ".join(ptb_tokens(case["text"])) == case["tokens_official_batch"], case["text"]
        assert " ".join(ptb_tokens(case["text"])) == case["tokens_official_single"], case["text"]
    for pair in units["pairs"]:
        assert " ".join(ptb_tokens(pair["candidate"])) == pair["cand_tok"]
        assert " ".join(ptb_tokens(pair["reference"])) == pair["ref_tok"]


def test_recorded_batches(golden_folder: Path) -> None:
    batches = json.loads((golden_folder / "units.json").read_text())["ptb_edge"]
    assert batches["empty_middle"] == {"0": ["a"], "1": [""], "2": ["b"]}
    assert ptb_tokens("") == []
    assert batches["newline_inside"]["0"] == [" ".join(ptb_tokens("a\nb"))]


def test_every_real_sentence(data_folder: Path, tmp_path: Path) -> None:
    folder = data_folder / "youcook2"
    database = json.loads((folder / "annotations/youcookii_ingredient_annotations_trainval.json").read_text())[
        "database"
    ]
    texts = {step["sentence"] for video in database.values() for step in video["annotations"]}
    texts |= {name for video in database.values() for name in video["ingredients"]}
    candidates = json.loads((folder / "candidates/pdvc_n25_val.json").read_text())["results"]
    texts |= {event["sentence"] for events in candidates.values() for event in events}
    for line in (folder / "asr/transcripts_untimed.jsonl").read_text().splitlines()[::20]:
        texts |= set(json.loads(line)["text"].split("\n"))
    ordered = sorted(text for text in texts if text.strip() and text.isascii())
    assert len(ordered) > 15_000
    expected = java_tokens(tmp_path, ordered)
    wrong = [text for text, tokens in zip(ordered, expected, strict=False) if ptb_tokens(text) != tokens]
    assert wrong == []
