"""Sentences for true events: the rows, and the split."""

from pathlib import Path

from cookscribe_lab.studies.core.study_data import DataChoice, open_study_data

from .conftest import Bench


def test_study_runs_by_its_command(bench: Bench) -> None:
    text = bench.run("presegmented", "--seeds", "1", "--preset", "faithful")
    rows = [row["name"] for row in bench.content("presegmented")["rows"]]
    assert rows == ["nearest neighbour", "linear captioner", "MART", "SVPC", "B", "BI", "BIV", "BIVT"]
    assert "The events are the true ones." in text
    assert "SVPC over MART" in text
    assert "tIoU |" not in text.split("Paired over")[0]


def test_a_study_of_sentences_gives_the_true_events(bench: Bench) -> None:
    text = bench.run("memory", "--true-events", "--seeds", "1", "--preset", "faithful", "--only", "B, joint")
    content = bench.content("memory")
    assert "The events are the true ones." in text
    assert "the paper's" not in text.lower()
    assert "tIoU" not in text
    # The recipe models are those of the table of true events.
    assert {one["true_events"] for one in content["data"].values()} == {True}
    bench.run("presegmented", "--seeds", "1", "--preset", "faithful")
    rows = {row["name"]: row["figures"] for row in bench.content("presegmented")["rows"]}
    joint = next(row["figures"] for row in content["rows"] if row["name"] == "B, joint")
    assert joint["strict CIDEr-D"] == rows["B"]["strict CIDEr-D"]


def test_true_events_of_the_usual_split_where_the_published_one_is_missing(bench: Bench, tmp_path: Path) -> None:
    data = open_study_data(bench.options("presegmented", work=tmp_path), DataChoice(true_events=True))
    assert (len(data.material.videos), len(data.videos)) == (16, 6)
    for key, video in data.videos.items():
        assert data.candidates[key].spans.tolist() == video.spans.tolist()
        assert len(data.candidates[key].features) == len(video.spans)
    veiled = open_study_data(bench.options("presegmented", work=tmp_path, veil=1.0), DataChoice(true_events=True))
    assert veiled.mark != data.mark
    assert veiled.material.simulated
