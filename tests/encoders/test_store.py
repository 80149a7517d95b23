"""The feature store: what goes in comes out, and nothing wrong comes out."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError, BadValueError, CookscribeError, MissingFileError
from cookscribe.track import FeatureTrack
from tests.killing import kill_while_saving


def a_track(length: int = 5, width: int = 3, *, dtype: str = "float32", simulated: bool = False) -> FeatureTrack:
    values = np.random.default_rng(length).normal(size=(length, width)).astype(dtype)
    return FeatureTrack(np.arange(length) + 0.5, values, "made-up", float(length), simulated)


@given(
    length=st.integers(1, 40),
    width=st.integers(1, 20),
    dtype=st.sampled_from(["float16", "float32"]),
    simulated=st.booleans(),
    duration=st.floats(1e-3, 1e6),
)
@settings(max_examples=25)
def test_what_goes_in_comes_out(
    tmp_path_factory: pytest.TempPathFactory, length: int, width: int, dtype: str, simulated: bool, duration: float
) -> None:
    store = FeatureStore(tmp_path_factory.mktemp("store"))
    values = np.random.default_rng(width).normal(size=(length, width)).astype(dtype)
    track = FeatureTrack(np.linspace(0.0, duration, length), values, "encoder-ü", duration, simulated)
    store.write("-a_B", track)
    back = store.read("-a_B")
    assert back.values.dtype == values.dtype
    np.testing.assert_array_equal(back.values, values)
    np.testing.assert_array_equal(back.times, track.times)
    assert (back.encoder, back.duration, back.simulated) == ("encoder-ü", duration, simulated)


def test_values_are_mapped_not_copied(tmp_path: Path) -> None:
    store = FeatureStore(tmp_path)
    store.write("a", a_track())
    values = store.read("a").values
    base = values
    while base.base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert not values.flags.writeable


def test_another_reader_reads_the_file(tmp_path: Path) -> None:
    track = a_track(dtype="float16")
    arrays = load_file(FeatureStore(tmp_path).write("a", track))
    np.testing.assert_array_equal(arrays["values"], track.values)
    np.testing.assert_array_equal(arrays["times"], track.times)


def test_ids_are_sorted_and_unfinished_files_do_not_count(tmp_path: Path) -> None:
    store = FeatureStore(tmp_path)
    for name in ("b", "-a", "_c", "my cake"):
        store.write(name, a_track())
    (tmp_path / ".b-123.safetensors").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("x")
    assert store.ids() == sorted(["b", "-a", "_c", "my cake"]) == list(store)
    assert "b" in store
    assert "d" not in store
    assert len(store) == 4


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../up", "a/b", "/etc/passwd", "a\\b", "C:x", "a\0b", "a\nb", ".x", "x" * 201]
)
def test_ids_that_could_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    store = FeatureStore(tmp_path / "store")
    for call in (store.path, store.read, lambda n: store.write(n, a_track()), lambda n: n in store):
        with pytest.raises(BadValueError):
            call(name)
    assert not list(tmp_path.rglob("*.safetensors"))


def test_missing_is_loud(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="abc"):
        FeatureStore(tmp_path).read("abc")
    with pytest.raises(MissingFileError, match="nowhere"):
        FeatureStore(tmp_path / "nowhere").ids()


def test_values_that_are_not_finite_are_refused_both_ways(tmp_path: Path) -> None:
    store = FeatureStore(tmp_path)
    track = a_track()
    spoilt = FeatureTrack(track.times, np.where(track.values > 0, np.nan, track.values), "e", 5.0)
    with pytest.raises(BadValueError, match="not finite"):
        store.write("a", spoilt)
    assert list(tmp_path.iterdir()) == []
    store.write("a", track)
    data = bytearray(store.path("a").read_bytes())
    data[-4:] = np.float32(np.inf).tobytes()
    store.path("a").write_bytes(data)
    with pytest.raises(BadFileError, match="not finite"):
        store.read("a")


def test_safetensors_of_another_kind_are_refused(tmp_path: Path) -> None:
    store = FeatureStore(tmp_path)
    good = {"format": "cookscribe-track-1", "encoder": "e", "duration": "5.0", "simulated": "false"}
    times, values = np.arange(5.0), np.ones((5, 2), dtype=np.float32)
    cases = [
        ({"times": times, "values": values}, None),
        ({"times": times, "values": values}, good | {"format": "other"}),
        ({"times": times, "values": values}, good | {"duration": "nan"}),
        ({"times": times, "values": values}, good | {"duration": "long"}),
        ({"times": times, "values": values}, good | {"simulated": "perhaps"}),
        ({"times": times, "values": values}, {k: v for k, v in good.items() if k != "encoder"}),
        ({"values": values}, good),
        ({"times": times, "values": values.astype(np.int32)}, good),
        ({"times": times, "values": values[:4]}, good),
        ({"times": times, "values": values[:, :0]}, good),
        ({"times": times[::-1].copy(), "values": values}, good),
    ]
    for arrays, metadata in cases:
        save_file(arrays, store.path("a"), metadata=metadata)
        with pytest.raises(BadFileError, match=r"a\.safetensors"):
            store.read("a")
    save_file(cases[0][0], store.path("a"), metadata=good)
    assert store.read("a").encoder == "e"


@given(st.data())
@settings(max_examples=60)
def test_damaged_files_never_crash(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    store = FeatureStore(tmp_path_factory.mktemp("store"))
    content = bytearray(store.write("a", a_track()).read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    for _ in range(data.draw(st.integers(0, 4))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    store.path("a").write_bytes(bytes(content))
    try:
        values = store.read("a").values
    except CookscribeError as error:
        message = str(error)
    else:
        message = "a.safetensors is readable" if np.isfinite(values).all() else "values that are not finite came out"
    assert "a.safetensors" in message


def test_a_writer_killed_a_hundred_times_leaves_no_corrupt_file(tmp_path: Path) -> None:
    store = FeatureStore(tmp_path)
    path = store.write("a", FeatureTrack(np.arange(400.0), np.zeros((400, 256), dtype=np.float32), "e", 400.0))

    def check() -> None:
        values = store.read("a").values
        assert (values == values[0, 0]).all()

    kill_while_saving(
        path,
        "import numpy as np\nfrom pathlib import Path\nfrom cookscribe.encoders.store import FeatureStore\n"
        "from cookscribe.track import FeatureTrack\nstore = FeatureStore(Path(sys.argv[1]).parent)\n"
        "values = lambda number: np.full((400, 256), number % 1000, dtype=np.float32)",
        "store.write('a', FeatureTrack(np.arange(400.0), values(number), 'e', 400.0))",
        check,
    )
    assert store.ids() == ["a"]
