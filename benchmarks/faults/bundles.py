"""Model folders that are damaged or made to harm: a typed error, or a recipe where the damage is harmless."""

import json
import os
import pickle
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.bundle import shipped
from cookscribe.seeds import generator
from faults.cases import Case, Scale
from faults.judging import answered, left, tidy
from faults.running import Broken, run
from harmful import Harmful

TITLE = "bundles"
SECONDS, MEMORY = 60.0, 1200
VALUES: tuple[Any, ...] = (10**6, 10**9, 10**18, -1, 0, 1e308, 1e-300, "x", None, [], {}, True, "9" * 100_000, 0.5)


def cases(scale: Scale) -> list[Case]:
    found: list[Case] = []
    for number in range(30 if scale.quick else 120):
        change, name = CHANGES[number % len(CHANGES)], NAMES[number // len(CHANGES) % 2]
        found.append(Case(f"{name}: {change.__name__[1:]}", partial(_try, scale, name, change, number)))
    whole = [Case(f"{name}: nothing", partial(_try, scale, name, _nothing, n)) for n, name in enumerate(NAMES)]
    return [*scale.some(found, 12), *whole]


def _try(scale: Scale, name: str, change: Any, number: int, folder: Path) -> None:
    bundle = folder / "bundle"
    shutil.copytree(shipped()[name], bundle)
    random = generator("bundle", scale.seed, number)
    change(bundle, random)
    for ending in (".mp4", ".vtt"):
        shutil.copy(scale.material / f"told{ending}", folder)
    arguments = ["write", "told.mp4", "--model", "./bundle", "--formats", "json", "--out", "out"]
    if random.random() < 0.5:
        arguments += ["--ingredients", "pasta, tomato sauce, water"]
    result = run(arguments, folder, seconds=SECONDS)
    if (folder / "ran").exists():
        raise Broken("code from a weight file was run", result)
    done = answered(result, memory=MEMORY)
    if change is _nothing and not done:
        raise Broken("an untouched bundle is refused", result)
    left(folder / "out", None if done else (), result)
    tidy(folder, result)


def _nothing(bundle: Path, random: np.random.Generator) -> None:
    """The bundle stays as it was shipped."""
    del bundle, random


def _one(bundle: Path, pattern: str, random: np.random.Generator) -> Path:
    found = sorted(bundle.rglob(pattern))
    return found[int(random.integers(len(found)))]


def _number_in_a_configuration(bundle: Path, random: np.random.Generator) -> None:
    """One number or word of a config.json becomes another one."""
    path = _one(bundle, "config.json", random)
    document = json.loads(path.read_text())
    places = list(_leaves(document))
    inside, key = places[int(random.integers(len(places)))]
    inside[key] = VALUES[int(random.integers(len(VALUES)))]
    path.write_text(json.dumps(document))


def _huge_number_in_a_configuration(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, "config.json", random)
    document = json.loads(path.read_text())
    places = [(i, k) for i, k in _leaves(document) if isinstance(i[k], int) and not isinstance(i[k], bool)]
    inside, key = places[int(random.integers(len(places)))]
    inside[key] = (2**20, 2**31, 10**12)[int(random.integers(3))]
    path.write_text(json.dumps(document))


def _number_in_the_description(bundle: Path, random: np.random.Generator) -> None:
    path = bundle / "bundle.json"
    document = json.loads(path.read_text())
    key = list(document)[int(random.integers(len(document)))]
    document[key] = VALUES[int(random.integers(len(VALUES)))]
    path.write_text(json.dumps(document))


def _rate(bundle: Path, random: np.random.Generator) -> None:
    """The number of frames a second that are looked at, or seconds of a window, is absurd."""
    path = bundle / "bundle.json"
    document = json.loads(path.read_text())
    document["rate"] = (1e9, 1e-9, 1e308, 100_000)[int(random.integers(4))]
    path.write_text(json.dumps(document))


def _leaves(value: Any) -> Any:
    """(container, key) of all plain values; of a list the first three."""
    inside = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for key, part in inside:
        if isinstance(part, dict | list):
            yield from _leaves(part)
        else:
            yield value, key


def _configuration_cut_short(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, "*.json", random)
    data = path.read_bytes()
    path.write_bytes(data[: int(random.integers(len(data)))])


def _bytes_of_a_configuration(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, "*.json", random)
    data = bytearray(path.read_bytes())
    for place in random.integers(0, len(data), 5):
        data[place] = int(random.integers(256))
    path.write_bytes(data)


def _configuration_of_another_kind(bundle: Path, random: np.random.Generator) -> None:
    texts = ("[]", "5", "null", '"x"', "{}", "NaN", '{"a": 1, "a": 2}', "[" * 100_000, '{"model": {"width": 1e999}}')
    _one(bundle, "*.json", random).write_text(texts[int(random.integers(len(texts)))])


def _configuration_of_another_model(bundle: Path, random: np.random.Generator) -> None:
    other = shipped()[NAMES[int((bundle / "spans").exists())]]
    path = _one(bundle, "config.json", random)
    path.write_bytes(_one(other, "config.json", random).read_bytes())


def _pipe_as_a_file(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, ("config.json", "*.json", "*.safetensors")[int(random.integers(3))], random)
    path.unlink()
    os.mkfifo(path)


def _endless_device_as_a_file(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, ("config.json", "*.json", "*.safetensors")[int(random.integers(3))], random)
    path.unlink()
    path.symlink_to("/dev/zero")


def _huge_file(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, ("*.json", "*.safetensors")[int(random.integers(2))], random)
    with path.open("r+b") as file:
        file.truncate(1 << 34)


def _file_missing(bundle: Path, random: np.random.Generator) -> None:
    _one(bundle, ("*.json", "*.safetensors")[int(random.integers(2))], random).unlink()


def _folder_as_a_file(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, ("*.json", "*.safetensors")[int(random.integers(2))], random)
    path.unlink()
    path.mkdir()


def _model_missing(bundle: Path, random: np.random.Generator) -> None:
    folders = sorted(path for path in bundle.iterdir() if path.is_dir())
    shutil.rmtree(folders[int(random.integers(len(folders)))])


def _weights_cut_short(bundle: Path, random: np.random.Generator) -> None:
    path = _one(bundle, "*.safetensors", random)
    os.truncate(path, int(random.integers(path.stat().st_size)))


def _header_of_the_weights(bundle: Path, random: np.random.Generator) -> None:
    """A few bytes of the header are changed, or its length is."""
    path = _one(bundle, "*.safetensors", random)
    data = bytearray(path.read_bytes())
    end = 8 + int.from_bytes(data[:8], "little")
    first = 0 if random.random() < 0.3 else 8
    for place in random.integers(first, 8 if first == 0 else end, 3):
        data[place] = int(random.integers(256))
    path.write_bytes(data)


def _bytes_of_the_weights(bundle: Path, random: np.random.Generator) -> None:
    """Numbers become others, also such that are not numbers."""
    path = _one(bundle, "*.safetensors", random)
    data = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    for place in random.integers(start, len(data), 3000):
        data[place] = (0xFF, 0x7C, 0x7E, 0xFC)[int(random.integers(4))]
    path.write_bytes(data)


def _shapes_of_the_weights(bundle: Path, random: np.random.Generator) -> None:
    """The header promises other shapes, kinds or places than there are."""
    path = _one(bundle, "*.safetensors", random)
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    names = [name for name in header if name != "__metadata__"]
    entry = header[names[int(random.integers(len(names)))]]
    kind = int(random.integers(5))
    if kind == 0:
        entry["shape"] = [10**9] * 3
    elif kind == 1:
        entry["shape"] = [*reversed(entry["shape"]), 1]
    elif kind == 2:
        entry["dtype"] = "I64"
    elif kind == 3:
        entry["data_offsets"] = [0, 10**15]
    else:
        header[names[0] + ".more"] = header.pop(names[0])
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[end:])


def _weights_that_run_code(bundle: Path, random: np.random.Generator) -> None:
    """A pickle in the place of the weights; it would leave a file beside the bundle."""
    _one(bundle, "*.safetensors", random).write_bytes(pickle.dumps(Harmful(bundle.parent / "ran")))


def _words_that_do_not_fit(bundle: Path, random: np.random.Generator) -> None:
    """The vocabulary has more or fewer words than the weights, or the same twice."""
    path = _one(bundle, ("vocabulary.json", "words.json")[int((bundle / "listener").exists())], random)
    document = json.loads(path.read_text())
    words = document if isinstance(document, list) else next(v for v in document.values() if isinstance(v, list))
    kind = int(random.integers(5))
    if kind == 0:
        del words[len(words) // 2 :]
    elif kind == 1:
        words += [f"new{n}" for n in range(100)]
    elif kind == 2:
        words[-1] = words[-2]
    elif kind == 3:
        words[-1] = 5
    else:
        words[:] = [f"\x1b[3{n % 8}mword{n}" for n in range(len(words))]
    path.write_text(json.dumps(document))


NAMES = ("youcook2-speech", "kitchen")
CHANGES = (
    _number_in_a_configuration,
    _header_of_the_weights,
    _huge_number_in_a_configuration,
    _weights_cut_short,
    _pipe_as_a_file,
    _endless_device_as_a_file,
    _shapes_of_the_weights,
    _configuration_cut_short,
    _weights_that_run_code,
    _words_that_do_not_fit,
    _number_in_the_description,
    _bytes_of_the_weights,
    _configuration_of_another_kind,
    _file_missing,
    _bytes_of_a_configuration,
    _huge_file,
    _folder_as_a_file,
    _configuration_of_another_model,
    _rate,
    _model_missing,
)
