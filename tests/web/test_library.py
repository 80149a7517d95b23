"""Recipes on the shelf: edits keep what they do not touch, revisions, search, bin, writing again, migrations."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.recipe import Recipe
from cookscribe.web.again import changes, laid_over
from cookscribe.web.db import MIGRATIONS, Database
from cookscribe.web.faults import StaleError
from cookscribe.web.ingredients import pasted, read_lines, shown_lines
from cookscribe.web.library import Library
from cookscribe.web.marks import Marked, RecipeEdit, StepEdit, described, edited
from tests.export.documents import soup

RECIPE = "abcdefgh2345"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path / "library")
    with library.db.writing() as connection:
        library.add(connection, RECIPE, "soup.mp4", soup(), "made up")
    return library


def as_edit(library: Library, **changed: object) -> RecipeEdit:
    kept = library.get(RECIPE)
    return edit_of(kept.marked, kept.revision, **changed)


def edit_of(marked: Marked, revision: int = 1, **changed: object) -> RecipeEdit:
    steps = [
        StepEdit(id=mark.id, start=step.span.start, end=step.span.end, sentence=step.sentence, right=mark.right)
        for step, mark in zip(marked.recipe.steps, marked.marks, strict=True)
    ]
    lines = [line.line for line in shown_lines(marked.recipe)]
    values = {"revision": revision, "title": marked.recipe.title, "ingredients": lines, "steps": steps}
    return RecipeEdit.model_validate(values | changed)


def test_an_edit_that_changes_nothing_gives_the_same_document() -> None:
    marked = Marked.fresh(soup())
    after = edited(marked, edit_of(marked))
    assert after == marked
    assert described(marked, after) == ""


def test_an_edit_touches_one_step_and_leaves_all_else() -> None:
    marked = Marked.fresh(soup())
    edit = edit_of(marked)
    edit.steps[1].sentence = "stir the butter"
    after = edited(marked, edit)
    before, now = marked.recipe, after.recipe
    assert [now.steps[n] for n in (0, 2, 3)] == [before.steps[n] for n in (0, 2, 3)]
    assert now.steps[1].sentence == "stir the butter"
    assert now.steps[1].confidence is None, "how sure the model was does not hold for a person's words"
    assert "stir" in now.steps[1].actions
    assert [mark.by for mark in after.marks] == ["model", "person", "model", "model"]
    assert now.evidence == before.evidence
    assert described(marked, after) == "words of step 2"


def test_evidence_goes_with_its_step() -> None:
    marked = Marked.fresh(soup())
    edit = edit_of(marked)
    removed = edit.steps.pop(0)
    edit.steps.append(StepEdit(start=0.0, end=1.0, sentence="wash your hands"))
    after = edited(marked, edit)
    evidence = after.recipe.evidence
    assert evidence.steps[1:] == marked.recipe.evidence.steps[1:]
    assert after.marks[1:] == marked.marks[1:]
    assert removed.id not in {mark.id for mark in after.marks}
    chosen = {candidate.step for candidate in evidence.candidates} - {None}
    assert 0 not in chosen, "no candidate became the step that a person wrote"


@settings(max_examples=60)
@given(st.data())
def test_any_edit_gives_a_valid_document_with_a_mark_for_each_step(data: st.DataObject) -> None:
    marked = Marked.fresh(soup())
    ids = st.sampled_from([*(mark.id for mark in marked.marks), "zzzzzzzzzzzz", None])
    spans = st.tuples(st.floats(0, 120), st.floats(0, 120)).map(sorted)
    steps = data.draw(st.lists(st.tuples(ids, spans, st.text(min_size=1, max_size=20), st.booleans()), max_size=8))
    wanted = [
        {"id": key, "start": start, "end": end, "sentence": f"x{text}", "right": right}
        for key, (start, end), text, right in steps
    ]
    after = edited(marked, edit_of(marked, steps=wanted))
    assert len(after.marks) == len(after.recipe.steps) == len(steps)
    assert len({mark.id for mark in after.marks}) == len(after.marks)
    assert Recipe.model_validate_json(after.recipe.model_dump_json()) == after.recipe
    described(marked, after)


def test_every_save_is_a_revision_that_can_be_restored(library: Library) -> None:
    first = library.get(RECIPE)
    library.save(RECIPE, as_edit(library, title="Grandmother's soup"))
    library.save(RECIPE, as_edit(library, steps=[]))
    assert library.get(RECIPE).marked.recipe.steps == ()
    assert library.get(RECIPE, 2).marked.recipe.title == "Grandmother's soup"
    restored = library.restore(RECIPE, 1)
    assert restored.marked == first.marked
    assert [revision.number for revision in library.revisions(RECIPE)] == [4, 3, 2, 1]
    assert library.revisions(RECIPE)[1].note == "4 steps removed"


def test_who_saves_from_an_old_revision_is_told(library: Library) -> None:
    old = as_edit(library, title="mine")
    library.save(RECIPE, as_edit(library, title="theirs"))
    with pytest.raises(StaleError, match="revision 2, not 1"):
        library.save(RECIPE, old)
    assert library.get(RECIPE).marked.recipe.title == "theirs"


def test_search_finds_words_of_title_ingredients_and_steps_by_their_beginnings(library: Library) -> None:
    recipe = library.get(RECIPE).marked.recipe
    for words in (recipe.title[:4], recipe.ingredients[0], recipe.steps[0].sentence, recipe.title.upper()):
        assert library.shelf(words)[0] == 1, words
    for words in ("quinoa", f"{recipe.title} quinoa", '"', "* OR", "title:", "NEAR(", "'; DROP TABLE words"):
        assert library.shelf(words)[0] == 0, words
    library.save(RECIPE, as_edit(library, title="Crème brûlée"))
    assert library.shelf("creme brul")[0] == 1
    assert library.shelf(recipe.title)[0] == 0, "the old title is gone from the index"


def test_the_bin_hides_and_deletes_for_good(library: Library) -> None:
    with pytest.raises(StaleError):
        library.delete([RECIPE])
    library.put_in_bin(RECIPE)
    assert library.shelf()[0] == 0
    assert library.shelf(binned=True)[0] == 1
    library.put_in_bin(RECIPE, binned=False)
    assert library.shelf()[0] == 1
    library.put_in_bin(RECIPE)
    assert library.delete() == 1
    with pytest.raises(MissingFileError):
        library.get(RECIPE)
    assert library.shelf(library.places.folder.name)[0] == 0


def test_writing_again_keeps_what_a_person_has_seen_to() -> None:
    marked = Marked.fresh(soup())
    edit = edit_of(marked)
    edit.steps[1].sentence = "my own words"
    edit.steps[3].right = True
    now = edited(marked, edit)
    new = soup().model_copy(
        update={"steps": tuple(step.model_copy(update={"sentence": f"new {step.sentence}"}) for step in soup().steps)}
    )
    after = laid_over(now, new, title="another title")
    assert [step.sentence for step in after.recipe.steps] == [
        f"new {soup().steps[0].sentence}",
        "my own words",
        f"new {soup().steps[2].sentence}",
        soup().steps[3].sentence,
    ]
    assert after.recipe.title == "another title"
    assert [change.what for change in changes(now, after)] == ["changed", "kept", "changed", "kept"]
    assert {change.what for change in changes(now, laid_over(now, soup().model_copy(update={"steps": ()})))} == {
        "kept",
        "removed",
    }
    assert [change.what for change in changes(marked, laid_over(marked, soup()))] == ["same"] * 4


def test_lines_with_amounts_are_read_and_shown_again() -> None:
    lines = pasted("- 2 tbsp butter\n• 1 onion, chopped\nsalt, pepper\n\n500 g flour")
    assert pasted("2 tbsp butter, onion") == ["2 tbsp butter", "onion"]
    names, amounts = read_lines(lines)
    assert names == ("butter", "onion", "salt", "pepper", "flour")
    recipe = soup().model_copy(update={"ingredients": names, "amounts": amounts})
    shown = [line.line for line in shown_lines(recipe)]
    assert shown == ["2 tbsp butter", "1 onion", "salt", "pepper", "500 g flour"]
    assert read_lines(shown, amounts) == (names, amounts), "what is shown is read back as it was"


def test_an_old_database_is_brought_up_and_a_newer_one_refused(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db")
    assert database.connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    Database(tmp_path / "a.db")  # opening it again changes nothing
    database.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(BadFileError, match="newer cookscribe"):
        Database(tmp_path / "a.db")
    (tmp_path / "b.db").write_bytes(b"this is no database, but long enough to look like one" * 20)
    with pytest.raises(BadFileError, match="not a library"):
        Database(tmp_path / "b.db")
