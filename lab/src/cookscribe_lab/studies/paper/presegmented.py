"""`cookscribe study presegmented`: sentences for true events, on the published SVPC split: MART, SVPC, B to BIVT."""

from cookscribe.evaluation.events import Events
from cookscribe_lab.rivals.rows import RIVALS
from cookscribe_lab.studies.core.drawings import draw_rows
from cookscribe_lab.studies.core.grid import captions, described, plain_label
from cookscribe_lab.studies.core.paired import compared
from cookscribe_lab.studies.core.plain_rows import LINEAR, NEAREST, captioner
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.study_data import DataChoice, StudyData
from cookscribe_lab.studies.core.tables import OF_SENTENCES, Row, as_markdown, figures_of, write_study
from cookscribe_lab.studies.core.variants import PREDICTIONS, Scored, Variant, VariantRunner, write_recipes
from cookscribe_lab.studies.paper.rival_rows import RivalRunner

TRUE = DataChoice(true_events=True)
MODELS = tuple(Variant(name=letters.upper(), letters=letters, data=TRUE) for letters in ("b", "bi", "biv", "bivt"))
PAIRS = (("BIVT", "SVPC"), ("BIVT", "BIV"), ("BIV", "BI"), ("BI", "B"), ("B", "MART"), ("SVPC", "MART"))


def run(options: StudyOptions) -> str:
    """The table."""
    rivals = (name for name, kind in RIVALS.items() if kind.presegmented)
    options.check_only((*rivals, *(variant.name for variant in MODELS)))
    runner = VariantRunner(options)
    data = runner.data(TRUE)
    found: dict[str, list[Scored]] = {name: [_plain(runner, data, name)] for name in (NEAREST, LINEAR)}
    found |= {name: list(outcomes) for name, outcomes in RivalRunner(runner, data).outcomes(presegmented=True)}
    changes = {"model": {"planner": False}} if options.preset == "small" else {}
    models = [variant.model_copy(update=changes) for variant in MODELS]
    shown = []
    for variant, outcomes in runner.finished(models):
        found[variant.name] = list(outcomes)
        shown.append(variant)
    rows = [
        Row(name, figures_of([one.report for one in some], OF_SENTENCES), seeds=tuple(options.trainings)[: len(some)])
        for name, some in found.items()
    ]
    paired, comparisons = compared(data.truth, found, PAIRS, places=False)
    said = captions(runner, shown or MODELS)
    text = f"{said}\n\n{as_markdown(rows, data.label, tuple(OF_SENTENCES))}{paired}"
    draw_rows(options.out / "presegmented", rows, plain_label(data.label), ("strict CIDEr-D", "ingredient F1"))
    return write_study(options, "presegmented", text, rows, paired=comparisons, **described(runner, shown))


def _plain(runner: VariantRunner, data: StudyData, name: str) -> Scored:
    """Sentences of training events for the true events of the others."""
    folder = runner.options.parts / "plain" / f"true-{name.replace(' ', '-')}-{short_hash(name, data.mark)}"
    path = folder / PREDICTIONS
    if not path.is_file():
        caption = captioner(data, name)
        found = {
            key: Events(video.spans, tuple(caption(data.store.read(key).over(video.spans))))
            for key, video in data.videos.items()
        }
        write_recipes(path, found)
    return Scored(runner.report(data, path), path)
