"""Every text format read back with somebody else's reader."""

import io
import json
import re
from itertools import pairwise
from pathlib import Path

import cooklang_py
import pytest
import webvtt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recipe_scrapers import scrape_html

from cookscribe.errors import BadValueError
from cookscribe.export import chapters, cooklang, jsonld, markdown, page, researcher, subtitles, writers
from cookscribe.export.wording import heading, ingredient_lines, time_words
from cookscribe.recipe import Recipe, Span, Step, Timer, Video
from cookscribe.text.facts import find_durations
from cookscribe.text.printable import full_sentence, one_line

from .documents import recipes, soup

# `pytest --hypothesis-profile=thorough tests/export` tries 1,000 documents per format.
many = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(recipes())
def test_vtt_is_read_by_webvtt(recipe: Recipe) -> None:
    cues = webvtt.from_string(subtitles.to_vtt(recipe)).captions
    assert len(cues) == len(recipe.steps)
    for cue, step in zip(cues, recipe.steps, strict=True):
        assert cue.raw_text == subtitles.vtt_text(full_sentence(step.sentence))
        assert cue.start_in_seconds == pytest.approx(step.span.start, abs=1)
        assert cue.start < cue.end


@many
@given(recipes())
def test_srt_is_read_by_webvtt(recipe: Recipe) -> None:
    text = subtitles.to_srt(recipe)
    if not recipe.steps:
        assert text == ""
        return
    cues = webvtt.from_buffer(io.BytesIO(text.encode()), format="srt").captions
    assert [cue.raw_text for cue in cues] == [
        full_sentence(one_line(step.sentence)).replace("-->", "→") for step in recipe.steps
    ]


@many
@given(recipes())
def test_ffmetadata_chapters_do_not_overlap(recipe: Recipe) -> None:
    found = chapters.chapters(recipe)
    assert all(chapter.start < chapter.end for chapter in found)
    assert all(left.end <= right.start for left, right in pairwise(found))
    for step in recipe.steps:
        assert any(heading(one_line(step.sentence)) in chapter.title for chapter in found)
    text = chapters.to_ffmetadata(recipe)
    assert text.startswith(";FFMETADATA1\n")
    assert len(re.findall(r"^\[CHAPTER\]$", text, re.MULTILINE)) == len(found)


@many
@given(recipes())
def test_youtube_rules(recipe: Recipe) -> None:
    result = chapters.to_youtube(recipe)
    starts = []
    for line in result.text.strip().splitlines():
        stamp, _, title = line.partition(" ")
        assert title
        seconds = 0
        for part in stamp.split(":"):
            seconds = 60 * seconds + int(part)
        starts.append(seconds)
    assert len(starts) <= len(recipe.steps) + 1
    if recipe.steps:
        assert starts[0] == 0
        ends = [*starts[1:], int(recipe.video.duration)]
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        assert len(starts) == 1 or min(lengths) >= chapters.YOUTUBE_SHORTEST
        assert len(starts) >= chapters.YOUTUBE_FEWEST or "YouTube shows none" in result.changes[-1]


def test_youtube_says_what_it_changed() -> None:
    result = chapters.to_youtube(soup())
    assert result.text.splitlines() == [
        "0:00 Intro",
        "0:12 Chop the onion",
        "0:34 Fry it in butter for 5 minutes",
        "0:58 Add salt & pepper",
        "1:20 Pour in the stock and simmer",
    ]
    assert result.changes == ("added an introduction at 0:00",)


@many
@given(recipes())
def test_jsonld_is_read_by_recipe_scrapers(recipe: Recipe) -> None:
    html = f'<html><head><script type="application/ld+json">{jsonld.to_jsonld(recipe)}</script></head></html>'
    scraped = scrape_html(html, org_url="https://example.org/recipe", supported_only=False)
    document = json.loads(jsonld.to_jsonld(recipe))
    assert document["name"] == one_line(recipe.title)
    assert scraped.title()
    wanted = [line for lines in ingredient_lines(recipe).values() for line in lines]
    assert document["recipeIngredient"] == wanted
    assert len(scraped.ingredients()) == len(wanted) >= len(recipe.ingredients)
    if recipe.total_time is not None:
        assert scraped.total_time() == pytest.approx((recipe.total_time.most or recipe.total_time.seconds) / 60, abs=1)
    if recipe.servings is not None:
        assert str(recipe.servings.people) in scraped.yields()
    # The scraper joins the steps by line ends and drops a leading name, so one line per step is what must come out.
    instructions = [line for line in scraped.instructions().splitlines() if line.strip()] if recipe.steps else []
    assert len(instructions) == len(recipe.steps)
    for step, how_to in zip(recipe.steps, document["recipeInstructions"], strict=True):
        assert how_to["text"].startswith(full_sentence(one_line(step.sentence)))
        assert how_to["video"]["startOffset"] == step.span.start
        assert how_to["video"]["endOffset"] == step.span.end


@many
@given(recipes())
def test_cooklang_is_read_by_cooklang_py(recipe: Recipe) -> None:
    parsed = cooklang_py.Recipe(cooklang.to_cooklang(recipe))
    # This reader puts a space behind every colon before it looks at anything.
    assert re.sub(r":\s*", ":", parsed.metadata["title"]) == re.sub(r":\s*", ":", one_line(recipe.title))
    paragraphs = [step for step in parsed if str(step).strip()]
    assert len(paragraphs) - max(1, len(recipe.steps)) in (0, 1)
    found = {re.sub(r"\W+", " ", item.name).strip().lower() for item in parsed.ingredients}
    for name in recipe.ingredients:
        plain = re.sub(r"\W+", " ", cooklang._name(name)).strip().lower()
        # Of a name like "%", which is all Cooklang's own signs, nothing is left to write.
        assert plain in found or cooklang._name(name) == "–"


def test_cooklang_marks_ingredients_and_times() -> None:
    text = cooklang.to_cooklang(soup())
    assert "Chop the @onion{1/2}. -- 0:12–0:30" in text
    assert "Fry it in @butter{2%tbsp} for ~{5%minutes}." in text
    assert "Pour in the @stock{} and simmer. (~{20-30%minutes}, 190 °C) --" in text
    parsed = cooklang_py.Recipe(text)
    assert {item.name for item in parsed.ingredients} == {"onion", "butter", "salt", "stock"}
    # Only one amount of butter has its place in a sentence; the other is named before.
    amounts = sorted((item.name, str(item.quantity or "")) for item in parsed.ingredients if item.quantity)
    assert amounts == [("butter", "1 tbsp"), ("butter", "2 tbsp"), ("onion", "1/2")]
    assert parsed.metadata["servings"] == "4-6"


def test_people_read_sentences_and_amounts_and_researchers_the_raw_text(tmp_path: Path) -> None:
    writers.export(soup(), tmp_path / "soup", ("md", "html", "jsonld", "researcher", "json"))
    text = (tmp_path / "soup.md").read_text()
    assert "Serves 4\\-6 · Takes 45 minutes" in text
    assert "- 1/2 onion\n- 2 tbsp butter\n- 1 tbsp butter\n- salt\n- stock" in text
    assert "Pour in the stock and simmer. (20\\-30 minutes, 190 °C)" in text
    document = json.loads((tmp_path / "soup.jsonld").read_text())
    assert document["recipeIngredient"] == ["1/2 onion", "2 tbsp butter", "1 tbsp butter", "salt", "stock"]
    assert (document["totalTime"], document["recipeYield"]) == ("PT45M", "4-6 servings")
    # The sentence says five minutes itself.
    assert document["recipeInstructions"][1]["text"] == "Fry it in butter for 5 minutes."
    body = (tmp_path / "soup.html").read_text()
    assert 'data-seek="33.0" title="“two tablespoons of butter”">heard 0:33</button>' in body
    assert "<p>Chop the onion.</p>" in body
    predicted = json.loads((tmp_path / "soup.predictions.json").read_text())["results"]["soup"]
    assert [event["sentence"] for event in predicted] == [step.sentence for step in soup().steps]
    assert Recipe.load(tmp_path / "soup.recipe.json") == soup()


TIMES = {
    (300, None): "5 minutes", (60, None): "1 minute", (300, 420): "5-7 minutes", (5400, None): "1 hour 30 minutes",
    (3600, 5400): "1-1.5 hours", (45, 60): "45-60 seconds", (172800, None): "2 days", (90, None): "1.5 minutes",
    (7200, None): "2 hours", (0, None): "0 seconds",
}  # fmt: skip


@pytest.mark.parametrize("ends", TIMES)
def test_times_are_said_in_the_unit_that_suits_them(ends: tuple[float, float | None]) -> None:
    assert time_words(Timer(seconds=ends[0], most=ends[1])) == TIMES[ends]


@given(st.integers(1, 600).map(lambda minutes: 60.0 * minutes), st.none() | st.integers(1, 600))
def test_a_time_that_is_written_is_read_as_what_it_was(seconds: float, more: int | None) -> None:
    timer = Timer(seconds=seconds, most=None if more is None else seconds + 60 * more)
    (found,) = find_durations(time_words(timer))
    assert (found.seconds, found.most) == (timer.seconds, timer.most)


def test_sentences_end_once() -> None:
    given = ["mix it", "mix it.", "is it done?", "add (salt)", 'say "done."', "é la carte"]
    wanted = ["Mix it.", "Mix it.", "Is it done?", "Add (salt).", 'Say "done."', "É la carte."]
    assert list(map(full_sentence, given)) == wanted


@many
@given(recipes())
def test_markdown_keeps_every_step_on_its_line(recipe: Recipe) -> None:
    lines = markdown.to_markdown(recipe).splitlines()
    numbered = [line for line in lines if re.match(r"\d+\. \*\*", line)]
    assert len(numbered) == len(recipe.steps)
    assert not any("<script" in line for line in lines)


@many
@given(recipes())
def test_page_escapes_everything(recipe: Recipe) -> None:
    text = page.to_page(recipe)
    body = re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL)
    assert "alert(1)</script>" not in text
    assert "<b>" not in body.replace(f"<b>{page._text(recipe.video.name)}</b>", "")
    assert len(re.findall(r'<li class="step', body)) == len(recipe.steps)


def test_researcher_file_has_the_published_shape() -> None:
    document = researcher.as_predictions({"soup": [((12.5, 30.0), "chop the\nonion")]})
    assert set(document) == {"version", "results", "external_data"}
    assert document["results"]["soup"][0] == {"sentence": "chop the onion", "timestamp": [12.5, 30.0]}


def test_export_writes_only_what_was_asked_for(tmp_path: Path) -> None:
    media = writers.Media(pictures=(b"jpeg", None, None, None))
    written = writers.export(soup(), tmp_path / "soup", ("md", "youtube"), media)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["soup-step-1.jpg", "soup.md", "soup.youtube.txt"]
    assert set(written.files) == set(tmp_path.iterdir())
    assert "![step 1](soup-step-1.jpg)" in (tmp_path / "soup.md").read_text()
    assert written.notes == ("youtube: added an introduction at 0:00",)


def test_unknown_format_is_named() -> None:
    with pytest.raises(BadValueError, match="unknown format docx"):
        writers.parse_formats("json,docx")
    assert writers.parse_formats(" JSON, md,json") == ("json", "md")


def test_mp4_without_a_video_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="--video"):
        writers.export(soup(), tmp_path / "soup", ("mp4",))
    assert not list(tmp_path.iterdir())


def test_chapters_share_a_start_without_losing_a_sentence() -> None:
    steps = tuple(Step(span=Span(start=5, end=9), sentence=text) for text in ("cut it", "salt it"))
    recipe = Recipe(title="x", steps=steps, video=Video(name="x.mp4", duration=20))
    assert [chapter.title for chapter in chapters.chapters(recipe)] == ["Cut it; Salt it"]
