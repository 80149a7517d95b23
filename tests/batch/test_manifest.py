"""The states of films: every way through them keeps the promises, whenever the leading process dies."""

import os
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cookscribe.batch.films import Film
from cookscribe.batch.manifest import ENDED, MOST_TRIES, Manifest, Place
from cookscribe.errors import BadFileError, BadValueError, CookscribeError
from tests.killing import kill_while_saving

JOB = {"model": "auto"}
ERROR = CookscribeError("film", "its worker died", "look at it")
FILMS = [Film(Path(f"/films/{n}.mp4"), title=f"Film {n}", ingredients=("salt",) * (n % 2)) for n in range(6)]
films = st.sampled_from(FILMS)


class States(RuleBasedStateMachine):
    """The manifest beside a plain dictionary: film to state and tries."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.model: dict[Film, tuple[str, int]] = {}
        self.order: list[Film] = []

    @initialize()
    def begin(self) -> None:
        self.manifest = Manifest(Path(self.folder.name), JOB)

    def teardown(self) -> None:
        self.manifest.close()
        self.folder.cleanup()

    def of(self, state: str) -> list[Film]:
        return [film for film in self.order if self.model[film][0] == state]

    @rule(some=st.lists(films, max_size=4))
    def add(self, some: list[Film]) -> None:
        new = [film for film in dict.fromkeys(some) if film not in self.model]
        assert self.manifest.add(some) == len(new)
        self.order += new
        self.model |= dict.fromkeys(new, ("waiting", 0))

    @precondition(lambda self: self.of("waiting"))
    @rule()
    def take(self) -> None:
        film = self.manifest.popleft()
        # The untried first, each with all that was said of it.
        assert film == min(self.of("waiting"), key=lambda one: (self.model[one][1], self.order.index(one)))
        self.model[film] = ("running", self.model[film][1] + 1)

    @precondition(lambda self: self.of("running"))
    @rule(data=st.data(), how=st.sampled_from(["done", "refused", "crashed", "put back"]))
    def settle(self, data: st.DataObject, how: str) -> None:
        film = data.draw(st.sampled_from(self.of("running")))
        tries = self.model[film][1]
        if how == "done":
            self.manifest.done(film, {"writing": 1.5}, "here:1", Place(0, 1, 100))
            self.model[film] = ("done", tries)
        elif how == "put back":
            self.manifest.put_back(film)
            self.model[film] = ("waiting", tries - 1)
        else:
            expected = "failed" if how == "refused" else "aside" if tries >= MOST_TRIES else "waiting"
            assert self.manifest.fail(film, how, ERROR, "here:1", final=how == "refused") == expected
            self.model[film] = (expected, tries)

    @rule()
    def die_and_resume(self) -> None:
        """What a killed process leaves is what the last change made; the films in hand are then tried again or not."""
        self.manifest.close()
        self.manifest = Manifest(Path(self.folder.name), JOB)
        for film in self.manifest.running():
            state = self.manifest.fail(film, ENDED, ERROR, "", final=False)
            self.model[film] = (state, self.model[film][1])
        assert not self.of("running")

    @rule()
    def again(self) -> None:
        chosen = self.of("failed") + self.of("aside")
        assert self.manifest.again() == len(chosen)
        self.model |= dict.fromkeys(chosen, ("waiting", 0))

    @rule(film=films)
    def wrong_moves_are_refused(self, film: Film) -> None:
        if self.model.get(film, ("", 0))[0] not in ("running", "waiting"):
            with pytest.raises(ValueError, match="cannot become done"):
                self.manifest.done(film, {}, "", Place())

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "manifest"):
            return
        states = [state for state, _ in self.model.values()]
        assert self.manifest.counts == {state: states.count(state) for state in self.manifest.counts}
        assert len(self.manifest) == states.count("waiting")
        assert all(tries <= MOST_TRIES for _, tries in self.model.values())
        failed = {failure.path for failure in self.manifest.failures()}
        assert failed == {str(film.path) for film in self.of("failed") + self.of("aside")}
        assert sum(self.manifest.kinds().values()) == len(failed)
        for film, (state, _) in self.model.items():
            assert self.manifest.state(film) == state


States.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestStates = States.TestCase


def test_a_kill_leaves_the_state_before_or_after(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path, JOB)
    manifest.add(FILMS)
    manifest.close()
    imports = (
        "from pathlib import Path\nfrom cookscribe.batch.manifest import Manifest, Place\n"
        f"JOB = {JOB!r}\n"
        "def take_and_put_back(folder):\n"
        "    manifest = Manifest(folder, JOB)\n"
        "    for film in manifest.running(): manifest.put_back(film)\n"
        "    mark = folder / 'mark'\n"
        "    while True:\n"
        "        film = manifest.popleft(); mark.touch(); manifest.put_back(film); mark.touch()\n"
    )
    (tmp_path / "mark").touch()

    def check() -> None:
        with sqlite3.connect(tmp_path / "manifest.sqlite") as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            states = [tuple(row) for row in database.execute("SELECT state, tries FROM films")]
        database.close()
        assert len(states) == len(FILMS)
        assert set(states) <= {("waiting", 0), ("running", 1)}
        assert states.count(("running", 1)) <= 1

    kill_while_saving(tmp_path / "mark", imports, "take_and_put_back(Path(sys.argv[1]).parent)", check, times=15)
    manifest = Manifest(tmp_path, JOB)  # the dead hold no lock
    manifest.close()


def test_one_folder_has_one_job_and_one_leader(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path, JOB)
    with pytest.raises(BadValueError, match="another run is at work there"):
        Manifest(tmp_path, JOB)
    manifest.close()
    with pytest.raises(BadValueError, match="was begun otherwise: model was auto"):
        Manifest(tmp_path, {"model": "kitchen"})
    other = tmp_path / "other"
    other.mkdir()
    (other / "manifest.sqlite").write_text("this is no database, and long enough for its header" * 10)
    with pytest.raises(BadFileError, match="is not a manifest"):
        Manifest(other, JOB)
    with pytest.raises(BadFileError, match="cannot be written"):
        Manifest(other / "manifest.sqlite" / "below", JOB)


def test_adding_is_all_or_nothing_and_names_need_not_be_text(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path, JOB)

    def broken() -> object:
        yield FILMS[0]
        raise BadFileError("list", "line 2 is wrong")

    with pytest.raises(BadFileError):
        manifest.add(broken())  # type: ignore[arg-type]
    assert len(manifest) == 0
    odd = Film(Path(os.fsdecode(b"/films/caf\xe9.mp4")))
    assert manifest.add([odd]) == 1
    assert manifest.popleft() == odd
    manifest.fail(odd, "refused", ERROR, "", final=True)
    assert manifest.failures()[0].path.startswith("/films/caf")
    assert manifest.failures()[0].path.isprintable()
    manifest.close()
