"""Names of films, titles and ingredients: whatever they hold, no control character comes out and nothing is lost."""

import os
import re
from functools import partial
from pathlib import Path

from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, files_below, left, read_strictly, tidy
from faults.running import Broken, Result, run

TITLE = "ingredients and names"
FORMATS = "json,md,html,vtt,jsonld"

NAMES: tuple[bytes, ...] = (
    b"soup\x1b[31mred\x1b[0m.mp4",
    b"soup\x07\x08\x7f.mp4",
    b"two\nlines.mp4",
    b"return\rover.mp4",
    b"tab\there.mp4",
    "c1\x9b31m.mp4".encode(),
    "soup\u202egpj.mp4".encode(),
    "isolate\u2066soup.mp4".encode(),
    "\ufeffmark.mp4".encode(),
    "line\u2028separator.mp4".encode(),
    b"bad\xff\xfebytes.mp4",
    b"half\xed\xa0\x80surrogate.mp4",
    b"-rf.mp4",
    b"--help.mp4",
    b"con:cat.mp4",
    b"concat:a|b.mp4",
    b"file:x.mp4",
    b"http:x.mp4",
    b"a|b.mp4",
    b"%s%d%n.mp4",
    b"[red]bold[bold].mp4",
    b"{braces}.mp4",
    b"$(touch x).mp4",
    b"quote'\".mp4",
    b"<script>.mp4",
    b"a b  c.mp4",
    b".hidden.mp4",
    b"...mp4",
    b"soup",
    b"soup.recipe.mp4",
    b"soup.mp4.mp4",
    "ナポリタン🍝.mp4".encode(),
    b"~.mp4",
    b"*?.mp4",
    b"x" * 200 + b".mp4",
    b"x" * 240 + b".mp4",
    b"x" * 251 + b".mp4",
    "ü".encode() * 125 + b".mp4",
)
WORDS: tuple[str, ...] = (
    "\x1b[31mpasta\x1b[0m, salt",
    "\x1b]0;title\x07pasta",
    "pasta\x00salt",
    "pasta\rsalt",
    "\x9b2Jpasta",
    "\u202epasta\u202c, salt",
    "pasta\u2028salt",
    ", ,,  ,",
    "a" * 100_000,
    ", ".join(f"food {n}" for n in range(61)),
    ", ".join(f"food {n}" for n in range(100_000)),
    "[red]pasta[/], [/]",
    "<script>alert(1)</script>",
    "-pasta, --salt",
    "🍝" * 500,
    "\ud800pasta",
    "İstanbul ßalt ǅ",
    "{}",
)


def cases(scale: Scale) -> list[Case]:
    source = scale.material
    found = [Case(f"film {ascii(name)[:60]}", partial(_film, source, name)) for name in NAMES]
    found += [
        Case(f"ingredients {ascii(words)[:40]}", partial(_words, source, "--ingredients", words)) for words in WORDS
    ]
    found += [Case(f"title {ascii(words)[:40]}", partial(_words, source, "--title", words)) for words in WORDS]
    found += [Case(f"file of ingredients {ascii(w)[:40]}", partial(_file, source, w)) for w in WORDS]
    alike = [Case(f"{' and '.join(names)}", partial(_together, source, names)) for names in TOGETHER]
    taken = [Case(f"a {kind} where the recipe goes", partial(_taken, source, kind)) for kind in TAKEN]
    return [*scale.some(found, 9), *alike[: 3 if scale.quick else None], *taken[: 1 if scale.quick else None]]


def _film(source: Path, name: bytes, folder: Path) -> None:
    path = os.path.join(os.fsencode(folder), name)
    Path(os.fsdecode(path)).write_bytes(material.film(source, "mp4").read_bytes())
    (folder / "words.srt").write_text(material.subtitles(material.seconds(source)))
    given = ["--transcript", "words.srt", "--formats", FORMATS, "--out", "out", "--", name]
    result = run(["write", *given], folder)
    _judge(result, folder, os.fsdecode(name))
    for command in ("probe", "probe --json"):
        answered(run([*command.split(), "--", name], folder))


def _judge(result: Result, folder: Path, name: str) -> None:
    tidy(folder, result)
    out = folder / "out"
    if not answered(result):
        left(out, (), result)
        start = re.match(r"[A-Za-z]*", name.lstrip("-.").removesuffix(".mp4"))
        if start and start[0][:20] not in result.err:
            raise Broken("the error does not name the file", result)
        return
    left(out, None if not name.startswith(".") else files_below(out), result)
    recipes = [path for path in out.iterdir() if path.name.endswith(".recipe.json")]
    if len(recipes) != 1:
        raise Broken(f"{len(recipes)} recipes were written", result)
    read_strictly(recipes[0], result)


def _words(source: Path, option: str, words: str, folder: Path) -> None:
    if "\x00" in words:
        words = words.replace("\x00", "\x01")  # no argument can hold a zero
    data = words.encode("utf-8", "surrogatepass")
    if len(data) > 120_000:
        data = data[:120_000]  # nor be longer than this
    _write(source, [option.encode() + b"=" + data], folder)


def _file(source: Path, words: str, folder: Path) -> None:
    (folder / "list.txt").write_bytes(words.encode("utf-8", "surrogatepass"))
    _write(source, ["--ingredients-file", "list.txt"], folder)


def _write(source: Path, given: list[str | bytes], folder: Path) -> None:
    (folder / "told.mp4").write_bytes((source / "told.mp4").read_bytes())
    (folder / "told.vtt").write_bytes((source / "told.vtt").read_bytes())
    result = run(["write", "told.mp4", "--formats", FORMATS, "--out", "out", *given], folder)
    tidy(folder, result)
    done = answered(result)
    left(folder / "out", None if done else (), result)


TOGETHER = (
    ("a/dinner.mp4", "b/dinner.mp4"),
    ("soup.part1.mp4", "soup.part2.mp4"),
    ("dinner.mp4", "dinner.mkv"),
    ("dinner.mp4", "./dinner.mp4"),
    ("a/dinner.mp4", "a/Dinner.mp4"),
    ("soup.mp4", "soup.recipe.mp4"),
    ("soup.mp4", "soup-step-1.mp4"),
    ("soup.mp4", "soup.chapters.mp4"),
    ("a-step.mp4", "a.mp4"),
)


def _together(source: Path, names: tuple[str, str], folder: Path) -> None:
    """Two films in one run: refused, or both recipes with all their pictures are there in the end."""
    for name in names:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(material.film(source, path.suffix[1:]).read_bytes())
        path.with_suffix(".vtt").write_text(material.subtitles(material.seconds(source)))
    result = run(["write", *names, "--formats", "json,md", "--out", "out"], folder)
    if not answered(result):
        if Path(names[0]).stem not in result.err:
            raise Broken("the error does not name the films", result)
        left(folder / "out", None, result)
        return
    out = folder / "out"
    left(out, None, result)
    pages = list(out.rglob("*.md"))
    films = len({(folder / name).resolve() for name in names})
    if len(pages) < films:
        raise Broken(f"{films} films, but {len(pages)} recipes are left", result)
    shown = [set(re.findall(r"\(<?([^()<>]+\.jpg)>?\)", page.read_text())) for page in pages]
    if not all(shown):
        raise Broken("a recipe without pictures", result)
    if len(pages) > 1 and shown[0] & shown[1]:
        raise Broken(f"two recipes share the picture {sorted(shown[0] & shown[1])[0]}", result)


TAKEN = ("folder", "file instead of the folder", "dangling link", "link to another file")


def _taken(source: Path, kind: str, folder: Path) -> None:
    (folder / "told.mp4").write_bytes((source / "told.mp4").read_bytes())
    (folder / "told.vtt").write_bytes((source / "told.vtt").read_bytes())
    out = folder / "out"
    target = out / "told.recipe.json"
    if kind == "file instead of the folder":
        out.write_text("mine")
    else:
        out.mkdir()
    if kind == "folder":
        target.mkdir()
    elif kind == "dangling link":
        target.symlink_to("nowhere/at/all.json")
    elif kind == "link to another file":
        (folder / "precious.txt").write_text("mine")
        target.symlink_to("../precious.txt")
    result = run(["write", "told.mp4", "--formats", "json", "--out", "out"], folder)
    done = answered(result)
    if not done and "out" not in result.err:
        raise Broken("the error does not name the output", result)
    if kind == "link to another file" and done and not (folder / "precious.txt").read_text():
        raise Broken("another file was emptied", result)
    hidden = [name for name in files_below(folder / "out") if Path(name).name.startswith(".")]
    if hidden:
        raise Broken(f"leaves {hidden[0]} behind", result)
