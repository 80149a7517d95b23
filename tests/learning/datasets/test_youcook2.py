"""The annotation readers: what is in the file comes out, and a wrong file is named with the place in it."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.encoders.tsn import VideoLength, read_lengths
from cookscribe.errors import BadFileError, CookscribeError, MissingFileError
from cookscribe.learning.datasets.svpc import read_svpc
from cookscribe.learning.datasets.youcook2 import (
    Tag,
    read_annotations,
    read_recipe_names,
    read_split_list,
    read_tags,
    read_truth,
    write_truth,
)
from cookscribe.validation import bare_ids

PUBLISHED: dict[str, Any] = {
    "database": {
        "-noodle_001": {
            "duration": 61.5,
            "subset": "training",
            "recipe_type": "901",
            "video_url": "https://example.org/-noodle_001",
            "annotations": [
                {"segment": [3, 9], "id": 0, "sentence": "soak the rice noodles"},
                {"segment": [20, 41], "id": 1, "sentence": "fry the  noodles in sesame oil"},
            ],
            "ner": [["soak/Ac", "rice noodles/F"], ["fry/Ac", "noodles/F", "sesame oil/F"]],
            "ingredients": ["rice noodles", "sesame oil"],
        },
        "v_soup_00002": {"duration": 100, "subset": "validation", "recipe_type": "902", "annotations": [], "ner": []},
    }
}

SVPC: dict[str, Any] = {
    "noodle": {
        "duration": 61.5,
        "timestamps": [[3, 9], [20, 41]],
        "sentences": ["soak the rice noodles", "fry the noodles in oil"],
        "ingredients": ["rice noodles", "oil"],
        "pos": [["soak"], ["fry"]],
        "alignment": [[1, 0], [1, 1]],
        "action": [{"soak": 1}, {"fry": 0, "oil": 2}],
    }
}


def written(folder: Path, value: Any, name: str = "file.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def test_the_published_file(tmp_path: Path) -> None:
    videos = read_annotations(written(tmp_path, PUBLISHED))
    assert list(videos) == ["-noodle_001", "v_soup_00002"]
    video = videos["-noodle_001"]
    assert (video.id, video.duration, video.split, video.recipe_type) == ("-noodle_001", 61.5, "training", "901")
    np.testing.assert_array_equal(video.spans, [[3, 9], [20, 41]])
    assert video.sentences == ("soak the rice noodles", "fry the  noodles in sesame oil")
    assert video.ingredients == ("rice noodles", "sesame oil")
    assert videos["v_soup_00002"].sentences == ()
    assert videos["v_soup_00002"].spans.shape == (0, 2)


def test_tags(tmp_path: Path) -> None:
    path = written(tmp_path, PUBLISHED)
    assert read_tags(path)["-noodle_001"][0] == (Tag("soak", "Ac"), Tag("rice noodles", "F"))
    del (wrong := copy.deepcopy(PUBLISHED))["database"]["-noodle_001"]["ner"]
    with pytest.raises(BadFileError, match="-noodle_001"):
        read_tags(written(tmp_path, wrong))


def test_truth_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "truth.json"
    videos = read_annotations(written(tmp_path, PUBLISHED))
    write_truth(path, videos.values())
    assert list(json.loads(path.read_text())) == ["v_-noodle_001", "v_v_soup_00002"]
    back = read_truth(path, "training")
    assert list(back) == list(videos)
    for video_id, video in videos.items():
        assert back[video_id].sentences == video.sentences
        assert back[video_id].ingredients == video.ingredients
        assert back[video_id].split == "training"
        np.testing.assert_array_equal(back[video_id].spans, video.spans)


def test_truth_steps_come_out_in_order_with_their_sentences(tmp_path: Path) -> None:
    entry = {"duration": 30, "timestamps": [[20, 25], [0, 4], [20, 22]], "sentences": ["late", "early", "late too"]}
    video = read_truth(written(tmp_path, {"v_a": entry}))["a"]
    assert video.sentences == ("early", "late", "late too")
    np.testing.assert_array_equal(video.spans, [[0, 4], [20, 25], [20, 22]])


@pytest.mark.parametrize(
    ("keys", "ids"),
    [
        (["v_abc", "v_v_abcdefghi"], ["abc", "v_abcdefghi"]),
        (["abcdefghijk", "v_abcdefghi"], ["abcdefghijk", "v_abcdefghi"]),
        (["v_abcdefghijk"], ["abcdefghijk"]),
        ([], []),
    ],
)
def test_a_prefix_is_taken_off_only_when_it_is_one(keys: list[str], ids: list[str]) -> None:
    assert list(bare_ids(keys, Path("x")).values()) == ids


# What may be wrong with a video, or with its first step.
WRONG: dict[str, Callable[[dict[str, Any], dict[str, Any]], object]] = {
    "no duration": lambda video, _: video.pop("duration"),
    "negative duration": lambda video, _: video.update(duration=-1.0),
    "zero duration": lambda video, _: video.update(duration=0),
    "text duration": lambda video, _: video.update(duration="61.5"),
    "reversed": lambda _, step: step.update(segment=[9, 3]),
    "three times": lambda _, step: step.update(segment=[3, 5, 9]),
    "negative time": lambda _, step: step.update(segment=[-3, 9]),
    "no sentence": lambda _, step: step.pop("sentence"),
    "number sentence": lambda _, step: step.update(sentence=7),
    "boolean time": lambda _, step: step.update(segment=[True, 9]),
    "steps not a list": lambda video, step: video.update(annotations={"0": step}),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_annotation_is_named(tmp_path: Path, what: str) -> None:
    value = copy.deepcopy(PUBLISHED)
    video = value["database"]["-noodle_001"]
    WRONG[what](video, video["annotations"][0])
    with pytest.raises(BadFileError, match="-noodle_001") as caught:
        read_annotations(written(tmp_path, value))
    assert "file.json" in str(caught.value)
    assert len(str(caught.value)) < 900


def test_truth_with_fewer_sentences_is_named(tmp_path: Path) -> None:
    entry = {"duration": 30, "timestamps": [[0, 4], [5, 9]], "sentences": ["one"]}
    with pytest.raises(BadFileError, match="2 segments but 1 sentences"):
        read_truth(written(tmp_path, {"a": entry}))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for reader in (read_annotations, read_truth, read_svpc, read_lengths, read_split_list, read_tags):
        with pytest.raises(MissingFileError, match="nowhere"):
            reader(tmp_path / "nowhere.json")


def test_svpc(tmp_path: Path) -> None:
    aligned = read_svpc(written(tmp_path, SVPC), ["fry", "soak", "oil"])["noodle"]
    assert aligned.alignment.tolist() == [[True, False], [True, True]]
    assert aligned.actions == (("soak",), ("fry", "oil"))
    assert aligned.action_ids == ((1,), (0, 2))
    assert aligned.video.ingredients == ("rice noodles", "oil")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("alignment", [[1, 0]]),
        ("alignment", [[1], [1, 1]]),
        ("alignment", [[1, 2], [1, 1]]),
        ("action", [{"soak": 1}]),
        ("action", [{"soak": 0}, {}]),
        ("action", [{"soak": 99}, {}]),
        ("action", [{"soak": -1}, {}]),
        ("timestamps", [[20, 41], [3, 9]]),
    ],
)
def test_svpc_labels_that_do_not_fit_are_refused(tmp_path: Path, field: str, value: Any) -> None:
    wrong = copy.deepcopy(SVPC)
    wrong["noodle"][field] = value
    with pytest.raises(BadFileError, match="noodle"):
        read_svpc(written(tmp_path, wrong), ["fry", "soak", "oil"])


def test_lengths_names_and_lists(tmp_path: Path) -> None:
    lengths = tmp_path / "lengths.csv"
    lengths.write_text("-a,10.5,315\nb,20,500\n")
    assert read_lengths(lengths) == {"-a": VideoLength(10.5, 315), "b": VideoLength(20.0, 500)}
    names = tmp_path / "names.csv"
    names.write_text("901,fried noodles\n902, soup\n")
    assert read_recipe_names(names) == {"901": "fried noodles", "902": "soup"}
    split = tmp_path / "list.txt"
    split.write_text("901/-a\n902/b\n\nc\n")
    assert read_split_list(split) == ("-a", "b", "c")


@pytest.mark.parametrize("line", ["a,10.5", "a,ten,315", "a,10.5,0", "a,inf,3", "a,nan,3", "a,1,2,3", "b,20,500"])
def test_a_wrong_line_of_lengths_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "lengths.csv"
    path.write_text(f"b,20,500\n{line}\n")
    with pytest.raises(BadFileError, match="line 2"):
        read_lengths(path)


def test_a_split_list_with_a_video_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("901/a\n902/a\n")
    with pytest.raises(BadFileError, match="twice"):
        read_split_list(path)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(value=anything, place=st.sampled_from(["database", "entry", "duration", "annotations", "segment"]))
@settings(max_examples=80)
def test_any_value_anywhere_is_read_or_refused_by_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, value: Any, place: str
) -> None:
    content = copy.deepcopy(PUBLISHED)
    entry = content["database"]["-noodle_001"]
    if place == "database":
        content["database"] = value
    elif place == "entry":
        content["database"]["-noodle_001"] = value
    elif place == "segment":
        entry["annotations"][0]["segment"] = value
    else:
        entry[place] = value
    path = written(tmp_path_factory.mktemp("fuzz"), content)
    for reader in (read_annotations, read_truth, read_svpc):
        try:
            reader(path)
        except CookscribeError as error:
            message = str(error)
        else:
            message = "file.json was read"
        assert "file.json" in message
