"""Reading text on the screen: how many burnt-in ingredient lines are read exactly, what is read where nothing stands.

    python benchmarks/screen_text.py [--quick]

Drawn films with captions in 5 fonts, 3 sizes, with and without outline, H.264 at 360 lines, each with a logo that never
leaves; and drawn films without any text. The figures are *simulated*. Baseline: the same reader on every picture that
is looked at, on one thread, in processor time. The last line is one JSON object.
"""

import tempfile
import time
from pathlib import Path

from captions import Look, captioned_film, every_look
from cookscribe.cues import Cues
from cookscribe.senses.screen_text import RATE, ScreenText, TextReader, reading_size
from cookscribe.video import VideoFile
from frame import finish, options, timed

LOGO = "Tiny Kitchen"


def main() -> None:
    """Read films with and without captions."""
    quick = options(__doc__, "4 looks and 1 film without text instead of 30 and 3").quick
    looks = every_look()[:: 8 if quick else 1]
    seconds, without = (18.0, 1) if quick else (18.0, 3)
    reader = TextReader()
    sense = ScreenText(reader)
    right = total = logos = 0
    worked = watched = 0.0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        for seed, look in enumerate(looks):
            cues, lines, spent, length = read(file, seed, seconds, look, sense)
            found = [cue.text for cue in cues]
            missed = [line for line in lines if line not in found]
            right, total = right + len(lines) - len(missed), total + len(lines)
            logos += LOGO in found
            worked, watched = worked + spent, watched + length
            wrong += [text for text in found if text not in lines]
            print(f"{look}: {len(lines) - len(missed)} of {len(lines)}, missed {missed}", flush=True)
        every = baseline(VideoFile(file), reader)
        false, silent = 0, 0.0
        for seed in range(without):
            cues, _, _, length = read(file, 100 + seed, 3 * seconds, None, sense)
            false, silent = false + len(cues), silent + length
            print(f"without text: {[cue.text for cue in cues]} in {length:.0f} s", flush=True)
    print(f"read wrongly: {wrong}")
    finish(
        read_exactly=round(right / total, 4),
        lines=total,
        logos_kept=logos,
        false_lines_a_minute=round(60 * false / silent, 2),
        seconds_a_second_of_film=round(worked / watched, 3),
        ratio_to_reading_every_picture=round(worked / watched / every, 3),
    )


def read(
    file: Path, seed: int, seconds: float, look: Look | None, sense: ScreenText
) -> tuple[Cues, list[str], float, float]:
    """Cues, true lines, processor time and length of a film that is drawn and read."""
    captions = captioned_film(file, seed, seconds, look, LOGO if look else "")[1]
    film = VideoFile(file, threads=1)
    spent, cues = timed(lambda: sense(film))
    return cues, [line for caption in captions for line in caption.lines], spent, film.duration


def baseline(film: VideoFile, reader: TextReader) -> float:
    """Processor seconds for a second of film when every picture is read; some of them stand for all."""
    began = time.process_time()
    count = 0
    for number, frame in enumerate(film.frames(RATE, reading_size(film))):
        if number % 8 == 0:
            reader(frame.image)
            count += 1
    return RATE * (time.process_time() - began) / count


if __name__ == "__main__":
    main()
