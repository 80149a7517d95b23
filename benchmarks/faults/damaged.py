"""Damaged films through `write`: the recipe of what can be read, which says what is missing, or a typed error."""

import html
import re
from functools import partial
from pathlib import Path

import films
from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, damage_notes, left, read_strictly, tidy
from faults.measured import Measured, measure
from faults.running import Broken, Result, run

TITLE = "damaged films"
# Which way the recipe is written. Listening takes long, so few films are listened to.
WAYS = ("watched", "subtitles", "watched", "transcript", "subtitles", "heard")
# Seconds that must be missing before a note is asked for; the program may overlook a little less than that.
MISSING = 2.0
SLACK = 0.6
OF_DAMAGE = re.compile(r"damag|cut short|only the first|ends? (early|at|before)|cannot be (read|decoded)|can be read")


def cases(scale: Scale) -> list[Case]:
    """More than 300 films, or 15."""
    containers = tuple(films.CONTAINERS)
    made = []
    for number in range(15 if scale.quick else 336):
        # 7 containers, 5 kinds of damage, 6 ways: every combination comes up in 210 turns.
        container, kind, way = (
            containers[number % len(containers)],
            number % len(films.DAMAGES),
            WAYS[number % len(WAYS)],
        )
        if scale.quick and number > len(WAYS) and way == "heard":
            way = "watched"
        seed = len(films.DAMAGES) * (10_000 * scale.seed + number) + kind
        name = f"{container} {films.DAMAGES[kind]}, {way}"
        made.append(Case(name, partial(_try, scale.material, container, way, seed)))
    whole = [(box, way) for box in containers for way in dict.fromkeys(WAYS)]
    whole = whole[:: 14 if scale.quick else 1]
    made += [Case(f"{box} whole, {way}", partial(_whole, scale.material, box, way)) for box, way in whole]
    return made


def _whole(source: Path, container: str, way: str, folder: Path) -> None:
    """An undamaged film gets a recipe, and no note of damage."""
    original = material.film(source, container)
    path = folder / f"film{original.suffix}"
    path.write_bytes(original.read_bytes())
    result = run(_arguments(path, way, material.seconds(source), "json,html,md"), folder)
    if not answered(result):
        raise Broken("a whole film is refused", result)
    left(folder / "out", None, result)
    tidy(folder, result)
    recipe = read_strictly(folder / "out" / "film.recipe.json", result)
    if notes := damage_notes(recipe):
        raise Broken(f"a whole film is called damaged: {notes[0]}", result)
    if not recipe["steps"]:
        raise Broken("a whole film has no steps", result)


def _try(source: Path, container: str, way: str, seed: int, folder: Path) -> None:
    original = material.film(source, container)
    path = folder / f"film{original.suffix}"
    path.write_bytes(films.damaged(original.read_bytes(), seed))
    length = material.seconds(source)
    measured = measure(path)
    result = run(_arguments(path, way, length, "json,html,md" if seed % 3 == 0 else "json"), folder)
    judge(result, folder, measured, way, length, known_length=container != "ts")
    looked = run(["probe", path.name], folder)
    missing = ends_early(measured, length, container != "ts")
    if answered(looked) and missing and not OF_DAMAGE.search(looked.out + looked.err):
        raise Broken("probe is silent about the missing end", looked)


def _arguments(path: Path, way: str, length: float, formats: str) -> list[str]:
    """The command that writes the recipe of a film in this way; words are put where it finds them."""
    arguments = ["write", path.name, "--formats", formats, "--out", "out"]
    if way == "watched":
        arguments += ["--model", "kitchen"]
    elif way == "subtitles":
        path.with_suffix(".vtt").write_text(material.subtitles(length))
    elif way == "transcript":
        path.with_name("words.srt").write_text(material.subtitles(length))
        arguments += ["--transcript", "words.srt"]
    return arguments


def judge(result: Result, folder: Path, measured: Measured | None, way: str, length: float, known_length: bool) -> None:
    """Check what `write` made of a film that was `length` seconds long before it was damaged."""
    out = folder / "out"
    written = answered(result)
    tidy(folder, result)
    if not written:
        left(out, (), result)
        sound_lost = measured is not None and (measured.sound.bad or measured.sound.decoded < length - MISSING)
        if re.search("nobody speaks|words were heard", result.err) and sound_lost and not OF_DAMAGE.search(result.err):
            raise Broken("blames a silent film, but its sound is damaged", result)
        return
    left(out, None, result)
    recipe = read_strictly(out / "film.recipe.json", result)
    notes = damage_notes(recipe)
    said = _squeezed(result.out + result.err)
    for note in notes:
        if _squeezed(note) not in said:
            raise Broken(f"the terminal does not say: {note}", result)
        for page in out.glob("*.html"):
            if _squeezed(note) not in _squeezed(html.unescape(page.read_text())):
                raise Broken(f"the page does not say: {note}", result)
    if measured is None:
        return
    if not notes and (missing := silent_about(measured, way, length, known_length)):
        raise Broken(f"silent: {missing}", result)
    for step in recipe["steps"]:
        if step["span"]["end"] > max(measured.reached, measured.picture.decoded) + SLACK:
            raise Broken(f"a step ends at {step['span']['end']:.1f} s; {measured.reached:.1f} s can be read", result)


def ends_early(measured: Measured | None, length: float, known_length: bool) -> bool:
    """Whether the header still tells the true length, and no packet is found anywhere near it."""
    if measured is None or not known_length or abs(measured.declared - length) > 1:
        return False
    return measured.reached < length - MISSING


def silent_about(measured: Measured, way: str, length: float, known_length: bool) -> str | None:
    """What a recipe without a note conceals, if anything."""
    if not known_length or abs(measured.declared - length) > 1:
        return None
    if measured.readable < length - MISSING:
        return f"the film ends at {measured.readable:.1f} of {length:.1f} s"
    # A stream whose packets are all gone may be one whose header is damaged: the film then says it has none.
    if 0 < measured.sound.read < length - MISSING:
        return f"the sound ends at {measured.sound.read:.1f} of {length:.1f} s"
    for stream, used in ((measured.picture, way == "watched"), (measured.sound, way == "heard")):
        if used and stream.packets and stream.decoded < length - MISSING and stream.bad:
            return f"nothing can be decoded after {stream.decoded:.1f} of {length:.1f} s"
    return None


def _squeezed(text: str) -> str:
    """Without blanks and borders: terminals wrap lines."""
    return re.sub(r"[\s│]+", "", text)
