"""S3D: its parts against loops, its files read safely, its windows over a film. The golden check is in tests/real."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import films
from cookscribe.candidates import Candidates
from cookscribe.encoders.event_clips import encode_events
from cookscribe.encoders.milnce import MilNceEncoder, load_s3d
from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.pickled_arrays import read_words
from cookscribe.encoders.s3d import MAX_WORDS, S3D, WordNumbers, pooled, space_to_depth
from cookscribe.encoders.weights import locate
from cookscribe.encoders.windows import windows
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.proposals.store import read_candidate_store, write_candidate_store
from cookscribe.video import Frame, Size, VideoFile
from harmful import Harmful
from tests.command import run_command

WORDS = ["the", "egg", "crack", "into", "bowl", "add", "salt", "pan"]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files as published, but with random weights."""
    folder = tmp_path_factory.mktemp("published")
    torch.manual_seed(0)
    network = S3D()
    for name, buffer in network.named_buffers():
        if name.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)
        elif name.endswith("running_mean"):
            buffer.normal_(0, 0.1)
    torch.save(network.state_dict(), folder / "s3d_howto100m.pth")
    np.save(folder / "s3d_dict.npy", np.array(WORDS))
    return folder


def test_space_to_depth_orders_time_row_column_colour() -> None:
    video = torch.arange(2 * 3 * 4 * 6 * 8, dtype=torch.float32).view(2, 3, 4, 6, 8)
    result = space_to_depth(video)
    assert result.shape == (2, 24, 2, 3, 4)
    for t in range(2):
        for row in range(2):
            for column in range(2):
                for colour in range(3):
                    channel = ((t * 2 + row) * 2 + column) * 3 + colour
                    assert torch.equal(result[:, channel], video[:, colour, t::2, row::2, column::2])


def test_pooling_pads_with_zeros_at_the_end() -> None:
    x = torch.full((1, 1, 2, 4, 5), -1.0)
    result = pooled(x, (1, 3, 3), (1, 2, 2))
    assert result.shape == (1, 1, 2, 2, 3)
    # Windows that reach over the border see the zero; the first one does not.
    assert result[0, 0, 0, 0, 0] == -1.0
    assert result[0, 0, 0, 1, 0] == 0.0
    assert result[0, 0, 0, 0, 2] == 0.0


def test_folding_changes_nothing(published: Path) -> None:
    network, _ = load_s3d(locate("milnce", published))
    video = torch.rand(1, 3, 8, 64, 64, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        before = network(video)
        torch.testing.assert_close(network.fold()(video), before, rtol=1e-3, atol=1e-4)
    assert before.shape == (1, 512)


def test_text_tower_against_its_definition(published: Path) -> None:
    encoder = MilNceEncoder(published)
    tower = encoder.network.text_module
    numbers = torch.zeros(1, MAX_WORDS, dtype=torch.long)
    numbers[0, :3] = torch.tensor([3, 1, 2])  # crack the egg
    hidden = torch.relu(F.linear(tower.word_embd.weight[numbers[0]], tower.fc1.weight, tower.fc1.bias))
    expected = F.linear(hidden.max(dim=0).values, tower.fc2.weight, tower.fc2.bias)
    for sentence in ("crack the egg", "CRACK, the unknownword egg!"):
        np.testing.assert_allclose(encoder.text([sentence])[0], expected.numpy(), rtol=1e-4, atol=1e-6)


def test_word_numbers() -> None:
    numbers = WordNumbers(WORDS)
    assert numbers(["Add salt, into the PAN! unknownword", ""]).tolist() == [[6, 7, 4, 1, 8] + [0] * 11, [0] * 16]
    assert numbers(["egg " * 40]).tolist() == [[2] * 16]


def test_our_copy_equals_the_published_files(published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    printed = run_command("weights", "convert", published / "s3d_howto100m.pth", "--out", folder)
    assert str(folder) in printed.replace("\n", "")
    assert sorted(path.name for path in folder.iterdir()) == ["weights.safetensors", "words.json"]
    network, words = load_s3d(locate("milnce", folder))
    assert words == tuple(WORDS)
    ours, theirs = network.state_dict(), read_parameters(published / "s3d_howto100m.pth")
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_words_as_text_and_as_objects(tmp_path: Path) -> None:
    np.save(tmp_path / "text.npy", np.array(WORDS))
    np.save(tmp_path / "objects.npy", np.array(WORDS, dtype=object), allow_pickle=True)
    assert read_words(tmp_path / "text.npy") == read_words(tmp_path / "objects.npy") == tuple(WORDS)
    np.save(tmp_path / "numbers.npy", np.arange(5))
    with pytest.raises(BadFileError, match="list of words"):
        read_words(tmp_path / "numbers.npy")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00nonsense")
    with pytest.raises(BadFileError):
        read_words(tmp_path / "bad.npy")


def test_hostile_files_run_nothing(tmp_path: Path, published: Path) -> None:
    canary = tmp_path / "canary"
    np.save(tmp_path / "s3d_dict.npy", np.array([Harmful(canary)], dtype=object), allow_pickle=True)
    with pytest.raises(BadFileError, match="no array needs"):
        read_words(tmp_path / "s3d_dict.npy")
    for hostile in ({"conv1.conv1.weight": Harmful(canary)}, Harmful(canary)):
        torch.save(hostile, tmp_path / "s3d_howto100m.pth")
        with pytest.raises(BadFileError):
            read_parameters(tmp_path / "s3d_howto100m.pth")
    (tmp_path / "raw.pth").write_bytes(pickle.dumps(Harmful(canary), protocol=2))
    with pytest.raises(BadFileError):
        read_parameters(tmp_path / "raw.pth")
    assert not canary.exists()
    # The other half of the pair is well: it is the hostile file that was refused.
    assert read_words(published / "s3d_dict.npy")


def frames(count: int) -> list[Frame]:
    return [Frame(n / 16, n / 16, np.full((2, 2, 3), n, np.uint8)) for n in range(count)]


@pytest.mark.parametrize(
    ("count", "firsts", "last"),
    [(1, [0], 0), (20, [0], 19), (32, [0], 31), (33, [0, 16], 32), (48, [0, 16], 47), (49, [0, 16, 32], 48)],
)
def test_windows_cover_the_film(count: int, firsts: list[int], last: int) -> None:
    made = list(windows(iter(frames(count)), 32, 16))
    assert [window[0].image[0, 0, 0] for window in made] == firsts
    assert all(len(window) == 32 for window in made)
    assert made[-1][-1].image[0, 0, 0] == last


def small_encoder(published: Path, window: int, rate: float) -> MilNceEncoder:
    """One that looks at few and small frames."""
    encoder = MilNceEncoder(published)
    encoder.rate, encoder.window, encoder.stride, encoder.side = rate, window, window, 64
    return encoder


def test_a_film_becomes_a_track(published: Path, tmp_path: Path) -> None:
    encoder = small_encoder(published, 8, 4.0)
    track = encoder.encode(VideoFile(films.plain(tmp_path / "f.mp4", 6.0)))
    assert track.values.shape == (3, 512)
    np.testing.assert_allclose(track.times, [1.0, 3.0, 5.0], atol=0.01)
    # The rows are those of the windows' frames.
    images = [frame.image for frame in VideoFile(tmp_path / "f.mp4").frames(4.0, Size.square(64))]
    expected = encoder.features(np.stack(images[8:16])[None])[0]
    np.testing.assert_allclose(track.values[1], expected, rtol=1e-4, atol=1e-5)


def test_a_long_still_is_encoded_once(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = small_encoder(published, 4, 2.0)
    encoded: list[int] = []
    features = encoder.features
    monkeypatch.setattr(encoder, "features", lambda clips: encoded.append(1) or features(clips))
    track = encoder.encode(VideoFile(films.stills(tmp_path / "s.mp4", 40.0, each=20.0, sound=False)))
    assert len(track.times) == 20
    assert len(encoded) <= 4
    assert (track.values[1:9] == track.values[0]).all()
    assert np.abs(track.values[12] - track.values[0]).max() > 0


def test_an_event_is_seen_by_frames_spread_over_its_own_clip(published: Path, tmp_path: Path) -> None:
    encoder = small_encoder(published, 8, 8.0)
    film = VideoFile(films.plain(tmp_path / "f.mp4", 6.0))
    # Two overlapping events, one shorter than a window, one that ends behind the film.
    spans = np.array([[0.0, 4.0], [2.0, 2.25], [3.0, 7.0]])
    rows = encode_events(encoder, film, spans)
    sampled = list(VideoFile(tmp_path / "f.mp4").frames(8.0, Size.square(64)))
    for (start, end), row in zip(spans.tolist(), rows, strict=True):
        moments = [start + (end - start) * (k + 0.5) / 8 for k in range(8)]
        nearest = [min(sampled, key=lambda frame, m=m: (abs(frame.time - m) > 1 / 16, frame.time)) for m in moments]
        nearest = [sampled[-1] if abs(f.time - m) > 1 / 16 else f for f, m in zip(nearest, moments, strict=True)]
        clip = np.stack([frame.image for frame in nearest])
        np.testing.assert_allclose(row, encoder.features(clip[None])[0], rtol=1e-3, atol=1e-4)


def test_candidates_get_features_of_their_captions(published: Path, tmp_path: Path) -> None:
    known = Candidates(
        np.array([[0.0, 2.0], [1.0, 3.0]]), np.array([0.5, 0.6]), 6.0, ("add salt", "egg"), np.zeros(2), np.ones((2, 3))
    )
    write_candidate_store(tmp_path / "c.safetensors", {"video": known}, {})
    given = ("event-features", "--candidates", tmp_path / "c.safetensors", "--out", tmp_path / "new.safetensors")
    run_command(*given, "--captions", "--weights", published)
    new, about = read_candidate_store(tmp_path / "new.safetensors")
    assert about["caption vectors"]
    features = new["video"].features
    assert (features[:, :3] == 1).all()
    expected = MilNceEncoder(published).text(["add salt", "egg"])
    np.testing.assert_allclose(features[:, 3:], expected, rtol=2e-3, atol=1e-3)
    with pytest.raises(BadValueError, match="nothing to do"):
        run_command(*given)
    with pytest.raises(MissingFileError, match="no film of this id"):
        run_command(*given, "--films", tmp_path, "--weights", published)


def test_wrong_files(tmp_path: Path) -> None:
    torch.save({"fc.weight": torch.zeros(2)}, tmp_path / "s3d_howto100m.pth")
    np.save(tmp_path / "s3d_dict.npy", np.array(WORDS))
    with pytest.raises(BadFileError, match="S3D network"):
        MilNceEncoder(tmp_path)
