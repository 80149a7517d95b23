"""The page: one self-contained HTML file with player, time line, steps, ingredients and, folded away, the evidence.

Everything that comes from a video, a user or a model is escaped; a content policy forbids the page to load anything
from elsewhere. The video stands beside the page, or inside it when `video_source` is a data address.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from cookscribe.export.clock import clock
from cookscribe.export.jsonld import to_jsonld
from cookscribe.export.wording import heading, ingredient_lines, recipe_facts, step_facts
from cookscribe.recipe import Candidate, CueEvidence, Recipe, Step
from cookscribe.text.printable import full_sentence, one_line

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; media-src 'self' file: data: blob:"
)


@cache
def _asset(name: str) -> str:
    return files("cookscribe.export").joinpath("assets", name).read_text(encoding="utf-8")


def _text(value: str) -> str:
    return escape(one_line(value), quote=True)


def _percent(part: float, whole: float) -> str:
    return f"{100 * min(1.0, part / whole) if whole > 0 else 0:.3f}%"


def to_page(recipe: Recipe, pictures: Sequence[bytes | None] = (), video_source: str | None = None) -> str:
    """The recipe as an HTML page.

    Args:
        recipe: the document.
        pictures: a JPEG (or None) for each step, embedded.
        video_source: address of the video as seen from the page; by default the video's file name beside it.
    """
    source = video_source if video_source is not None else quote(recipe.video.name)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            f"<title>{_text(recipe.title)}</title>",
            f"<style>\n{_asset('page.css')}</style>",
            f'<script type="application/ld+json">\n{to_jsonld(recipe)}</script>',
            "</head>",
            "<body>",
            "<main>",
            _header(recipe),
            '<div class="columns">',
            _watch(recipe, source),
            f"<div>\n{_ingredients(recipe)}\n{_steps(recipe, pictures)}\n</div>",
            "</div>",
            _evidence(recipe),
            _footer(recipe),
            "</main>",
            f"<script>\n{_asset('page.js')}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _header(recipe: Recipe) -> str:
    count = len(recipe.steps)
    about = f"{_text(recipe.video.name)} · {clock(recipe.video.duration)} · {count} step{'' if count == 1 else 's'}"
    badge = ' <span class="badge">simulated</span>' if recipe.made_by.simulated else ""
    parts = ["<header>", f"<h1>{_text(recipe.title)}</h1>", f'<p class="about">{about}{badge}</p>']
    parts.append(_facts(recipe_facts(recipe)))
    if recipe.warnings:
        items = "".join(f"<li>{_text(warning)}</li>" for warning in recipe.warnings)
        parts.append(f'<ul class="warnings" role="status">{items}</ul>')
    return "\n".join([*parts, "</header>"])


def _watch(recipe: Recipe, source: str) -> str:
    duration = recipe.video.duration
    marks = [
        f'<button type="button" data-seek="{step.span.start}" title="{_text(heading(step.sentence))}" '
        f'aria-label="Step {number}: {_text(heading(step.sentence))}" '
        f'style="left:{_percent(step.span.start, duration)};width:{_percent(step.span.length, duration)}">'
        f"{number}</button>"
        for number, step in enumerate(recipe.steps, 1)
    ]
    return "\n".join(
        [
            '<section class="watch" aria-label="Video">',
            f'<video controls playsinline preload="metadata" data-duration="{duration}" src="{_text(source)}"></video>',
            f'<div class="timeline" role="group" aria-label="Steps on the time line">{"".join(marks)}'
            '<div class="playhead" style="left:0"></div></div>',
            f'<div class="ends"><span>0:00</span><span>{clock(duration)}</span></div>',
            '<p class="hint keys">Keys: space plays, ← → move 5 s, n and p go to the next and previous step.</p>',
            f'<div class="pick"><p>The video <b>{_text(recipe.video.name)}</b> is not beside this page or cannot be '
            'played. <label>Choose it: <input type="file" accept="video/*"></label></p></div>',
            "</section>",
        ]
    )


def _ingredients(recipe: Recipe) -> str:
    if not recipe.ingredients:
        return ""
    links: dict[str, str] = {}
    for number, step in enumerate(recipe.steps, 1):
        link = f' <a href="#step-{number}" aria-label="step {number}">{number}</a>'
        for name in dict.fromkeys(step.ingredients):
            links[name] = links.get(name, "") + link
    origins = {amount.line: amount.origin for amount in reversed(recipe.amounts)}
    items = []
    for name, lines in ingredient_lines(recipe).items():
        shown = "<br>".join(f"{_text(line)}{_moment(origins.get(line))}" for line in lines)
        items.append(f"<li>{shown}{links.get(name, '')}</li>")
    return f'<section><h2>Ingredients</h2><ul class="ingredients">{"".join(items)}</ul></section>'


def _moment(origin: CueEvidence | None) -> str:
    """Where something was heard or read, as a button that goes there; its title shows the words."""
    if origin is None:
        return ""
    start = origin.span.start
    return (
        f' <button type="button" class="origin" data-seek="{start}" title="“{_text(origin.text)}”">'
        f"{origin.source} {clock(start)}</button>"
    )


def _facts(facts: Mapping[str, CueEvidence | None]) -> str:
    if not facts:
        return ""
    return f'<p class="facts">{" · ".join(f"{_text(fact)}{_moment(origin)}" for fact, origin in facts.items())}</p>'


def _steps(recipe: Recipe, pictures: Sequence[bytes | None]) -> str:
    if not recipe.steps:
        return "<section><h2>Steps</h2><p>No steps were found in this video.</p></section>"
    items = [
        _step(number, step, pictures[number - 1] if number <= len(pictures) else None)
        for number, step in enumerate(recipe.steps, 1)
    ]
    return f'<section><h2>Steps</h2><ol class="steps">{"".join(items)}</ol></section>'


def _step(number: int, step: Step, picture: bytes | None) -> str:
    image = ""
    if picture is not None:
        image = f'<img alt="Picture of step {number}" src="{data_address(picture, "image/jpeg")}">'
    unsure = ""
    if step.unsure:
        unsure = f'<span class="unsure">unsure ({step.confidence:.0%})</span>'
    used = f'<p class="used">{_text(", ".join(step.ingredients))}</p>' if step.ingredients else ""
    facts = _facts(step_facts(step))
    return (
        f'<li class="step{"" if picture else " plain"}" id="step-{number}" data-start="{step.span.start}" '
        f'data-end="{step.span.end}">{image}<div><span class="number">{number}</span>'
        f'<button type="button" class="when" data-seek="{step.span.start}">'
        f"{clock(step.span.start)}–{clock(step.span.end)}</button>{unsure}"
        f"<p>{_text(full_sentence(step.sentence))}</p>{facts}{used}</div></li>"
    )


def data_address(content: bytes, media_type: str) -> str:
    """`content` as a data address."""
    from base64 import b64encode

    return f"data:{media_type};base64,{b64encode(content).decode()}"


def _evidence(recipe: Recipe) -> str:
    evidence = recipe.evidence
    if evidence is None or not (evidence.candidates or evidence.steps or evidence.cues):
        return ""
    parts = [
        '<details class="evidence">',
        "<summary>Evidence: what the model saw and why it chose these steps</summary>",
    ]
    if evidence.candidates:
        chosen = sum(candidate.step is not None for candidate in evidence.candidates)
        parts.append(
            f"<h3>{len(evidence.candidates)} candidate events, {chosen} chosen</h3>"
            '<p class="hint">Each bar is an event that was offered; the stronger, the higher its score. '
            "Coloured bars became steps.</p>" + _lanes(evidence.candidates, recipe.video.duration)
        )
    if evidence.steps:
        parts += [_reasons(recipe), _states(recipe)]
    if evidence.cues:
        parts.append(_cues(evidence.cues))
    return "\n".join([*parts, "</details>"])


def _cues(cues: Sequence[CueEvidence]) -> str:
    """What was heard, read and seen, line by line."""
    counts = {source: sum(cue.source == source for cue in cues) for source in ("heard", "read", "seen")}
    told = ", ".join(f"{count} {source}" for source, count in counts.items() if count)
    rows = "".join(
        f'<tr><td>{_moment(cue)}</td><td>{_text(cue.text)}</td><td class="level">{cue.confidence:.0%}</td></tr>'
        for cue in cues
    )
    head = '<tr><th>When</th><th>What</th><th class="level">Sure</th></tr>'
    return f'<h3>What was heard, read and seen ({told})</h3><div class="scroll cues"><table>{head}{rows}</table></div>'


def _lanes(candidates: Sequence[Candidate], duration: float) -> str:
    """Candidates packed into as few lanes as possible: each goes to the first lane that is free at its start."""
    lane_ends: list[float] = []
    bars = []
    for candidate in sorted(candidates, key=lambda c: (c.span.start, c.span.end)):
        start, end = candidate.span.start, candidate.span.end
        lane = next((n for n, busy_until in enumerate(lane_ends) if busy_until <= start), len(lane_ends))
        if lane == len(lane_ends):
            lane_ends.append(end)
        else:
            lane_ends[lane] = end
        kind = "offered" if candidate.step is None else "chosen"
        label = f"{clock(start)}–{clock(end)}, score {candidate.score:.2f}"
        if candidate.step is not None:
            label += f", step {candidate.step + 1}"
        if candidate.caption:
            label += f": {candidate.caption}"
        scale = 1000 / duration if duration > 0 else 0
        bars.append(
            f'<rect class="{kind}" x="{start * scale:.1f}" y="{4 + 14 * lane}" rx="2" height="11" '
            f'width="{max(2.0, (end - start) * scale):.1f}" opacity="{0.15 + 0.85 * candidate.score:.2f}">'
            f"<title>{_text(label)}</title></rect>"
        )
    height = 8 + 14 * max(1, len(lane_ends))
    return (
        f'<svg class="lanes" viewBox="0 0 1000 {height}" role="img" aria-label="Candidate events">{"".join(bars)}</svg>'
    )


def _reasons(recipe: Recipe) -> str:
    assert recipe.evidence is not None
    rows = []
    for number, (step, seen) in enumerate(zip(recipe.steps, recipe.evidence.steps, strict=True), 1):
        probability = "" if seen.event_probability is None else f"{seen.event_probability:.0%}"
        actions = ", ".join(f"{item.name} {item.weight:.0%}" for item in seen.actions)
        ingredients = ", ".join(f"{item.name} {item.weight:.0%}" for item in seen.ingredients)
        rows.append(
            f"<tr><td>{number}</td><td>{_text(step.sentence)}</td><td>{probability}</td>"
            f"<td>{_text(actions)}</td><td>{_text(ingredients)}</td></tr>"
        )
    head = "<tr><th>Step</th><th>Sentence</th><th>Event</th><th>Actions</th><th>Ingredients</th></tr>"
    return f'<h3>What each step rests on</h3><div class="scroll"><table>{head}{"".join(rows)}</table></div>'


def _states(recipe: Recipe) -> str:
    """How far each ingredient's state has moved after each step, as shaded cells."""
    assert recipe.evidence is not None
    changes = [seen.change for seen in recipe.evidence.steps]
    if not recipe.ingredients or any(len(change) != len(recipe.ingredients) for change in changes):
        return ""
    top = max((value for change in changes for value in change), default=0.0) or 1.0
    head = "".join(f'<th class="level">{number}</th>' for number in range(1, len(changes) + 1))
    rows = []
    for index, name in enumerate(recipe.ingredients):
        cells = "".join(
            f'<td class="level" style="background:color-mix(in srgb, var(--accent) {80 * change[index] / top:.0f}%, '
            f'transparent)">{change[index] / top:.1f}</td>'
            for change in changes
        )
        rows.append(f"<tr><th>{_text(name)}</th>{cells}</tr>")
    return (
        "<h3>How the ingredients change</h3>"
        '<p class="hint">After each step, how far an ingredient has moved from its raw state (1 = the most).</p>'
        f'<div class="scroll"><table><tr><th>Ingredient</th>{head}</tr>{"".join(rows)}</table></div>'
    )


def _footer(recipe: Recipe) -> str:
    made = " ".join(filter(None, [recipe.made_by.program, recipe.made_by.version]))
    model = f", model {_text(recipe.made_by.model)}" if recipe.made_by.model else ""
    return f"<footer>Written by {_text(made)}{model}. Times and words come from a program and can be wrong.</footer>"
