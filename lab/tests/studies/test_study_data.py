"""Studies whose data are made here: features are simulated, and proposal models trained for the candidates."""

from .conftest import Bench


def test_noise_makes_its_data_per_difficulty(bench: Bench) -> None:
    text = bench.run("noise", "--seeds", "1", ready=False)
    content = bench.content("noise")
    assert [row["name"] for row in content["rows"]] == [
        "B, difficulty 0.5", "B, difficulty 1", "BIVT, difficulty 0.5", "BIVT, difficulty 1",
    ]  # fmt: skip
    assert sorted(one["difficulty"] for one in content["data"].values()) == [0.5, 1.0]
    assert "out of fold" in text
    assert (bench.work / "features" / "milnce-like-difficulty-0.5" / "kitchen.json").is_file()


def test_folds_compares_candidates_in_and_out_of_fold(bench: Bench) -> None:
    text = bench.run("folds", "--seeds", "1", ready=False)
    content = bench.content("folds")
    data = content["data"]
    assert len(data) == 2  # the candidates of the training videos are others
    assert {one["fold"] for one in data.values()} == {"in fold", "out of fold"}
    by_row = {name: data[found["data"]]["fold"] for name, found in content["configuration"].items()}
    assert all(fold in name for name, fold in by_row.items())
    assert "in fold or out of fold" in text
