"""Speed of `cookscribe evaluate` against the usual way, in the same run and on the same captions.

Without METEOR first.

The usual way is what the published evaluation programs do: pycocoevalcap's BLEU, ROUGE and CIDEr scorers called for
each video and threshold, for SODA once more for each true event of each video, then a recursive dynamic programme. Both
sides get the same files and the same Python tokenizer: the Java tokenizer that the usual way also starts is not
counted, nor is the second flavour of dvc_eval, which would double its work. Then METEOR for all pairs of captions that
the report asks for: the Java program with the part of its paraphrase table that these captions can use, against the
same program with its whole table.

    python benchmarks/evaluation.py [--quick]

Reads the 457 validation videos beside COOKSCRIBE_DATA if it is set, else made-up videos of the same number and size.
Prints one JSON object as its last line.
"""

import json
import os
import resource
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

from cookscribe.evaluation import Report, captions, evaluate, meteor, read_predictions, read_truth
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.text import tokens
from frame import finish, options, timed
from kitchen_talk import as_files, made_up

THRESHOLDS = (0.3, 0.5, 0.7, 0.9)
GARBAGE = "abc123!@#"
Results = dict[str, list[dict[str, Any]]]
Truth = dict[str, dict[str, Any]]


def tiou(left: list[float], right: list[float]) -> float:
    overlap = max(0.0, min(left[1], right[1]) - max(left[0], right[0]))
    union = min(max(left[1], right[1]) - min(left[0], right[0]), right[1] - right[0] + left[1] - left[0])
    return overlap / (union + 1e-8)


def tokenised(text: str) -> str:
    return " ".join(tokens.ptb_tokens(text))


def usual_dvc_eval(truth: Truth, results: Results) -> dict[str, float]:
    """BLEU, ROUGE and CIDEr for each video and threshold, precision and recall."""
    names: list[tuple[Any, list[str]]] = [
        (Bleu(4), ["BLEU1", "BLEU2", "BLEU3", "BLEU4"]),
        (Rouge(), ["ROUGE_L"]),
        (Cider(), ["CIDEr"]),
    ]
    found: dict[str, list[float]] = {}
    for threshold in THRESHOLDS:
        pairs: dict[str, tuple[dict[int, list[str]], dict[int, list[str]]]] = {}
        precisions, recalls = [], []
        for video, true in truth.items():
            references: dict[int, list[str]] = {}
            hypotheses: dict[int, list[str]] = {}
            right, covered = set(), set()
            for number, event in enumerate(results.get(video, ())):
                said = [tokenised(event["sentence"])]
                matched = False
                for index, span in enumerate(true["timestamps"]):
                    overlap = tiou(event["timestamp"], span)
                    if overlap >= threshold:
                        references[len(references)] = [tokenised(true["sentences"][index])]
                        hypotheses[len(hypotheses)] = said
                        matched = True
                    if overlap > threshold:
                        right.add(number)
                        covered.add(index)
                if not matched:
                    references[len(references)] = [GARBAGE]
                    hypotheses[len(hypotheses)] = said
            pairs[video] = references, hypotheses
            precisions.append(len(right) / max(len(results.get(video, ())), 1))
            recalls.append(len(covered) / len(true["timestamps"]))
        for scorer, metrics in names:
            rows = []
            for references, hypotheses in pairs.values():
                if not references:
                    rows.append([0.0] * len(metrics))
                    continue
                score, _ = (
                    scorer.compute_score(references, hypotheses, verbose=0)
                    if isinstance(scorer, Bleu)
                    else scorer.compute_score(references, hypotheses)
                )
                rows.append(list(score) if isinstance(scorer, Bleu) else [score])
            for metric, value in zip(metrics, np.mean(rows, axis=0), strict=True):
                found.setdefault(metric, []).append(float(value))
        found.setdefault("precision", []).append(sum(precisions) / len(precisions))
        found.setdefault("recall", []).append(sum(recalls) / len(recalls))
    return {metric: float(np.mean(values)) for metric, values in found.items()}


def usual_soda(truth: Truth, results: Results) -> dict[str, float]:
    """SODA CIDEr and tIoU as released: the scorer's arguments exchanged, videos without predictions left out."""
    scores: dict[str, list[float]] = {"SODA CIDEr": [], "SODA tIoU": []}
    for video, true in truth.items():
        events = sorted(results.get(video, ()), key=lambda event: event["timestamp"][0])
        if not events:
            continue
        said = {i: [tokenised(event["sentence"])] for i, event in enumerate(events)}
        story = sorted(zip(true["timestamps"], true["sentences"], strict=True), key=lambda pair: pair[0][0])
        overlap = np.array([[tiou(event["timestamp"], span) for event in events] for span, _ in story])
        cider = np.array([Cider().compute_score(said, {i: [tokenised(s)] for i in said})[1] for _, s in story])
        for name, values in (("SODA CIDEr", overlap * cider), ("SODA tIoU", overlap)):
            best = best_assignment(values)
            precision, recall = best / len(events), best / len(story)
            scores[name].append(2 * precision * recall / (precision + recall) if best else 0.0)
    return {name: float(np.mean(values)) if values else 0.0 for name, values in scores.items()}


def best_assignment(values: np.ndarray) -> float:
    """Highest sum along an order-preserving assignment, by recursion."""
    known: dict[tuple[int, int], float] = {}

    def best(row: int, column: int) -> float:
        if row < 0 or column < 0:
            return 0.0
        if (row, column) not in known:
            known[row, column] = max(
                best(row - 1, column), best(row, column - 1), best(row - 1, column - 1) + values[row, column]
            )
        return known[row, column]

    return float(best(values.shape[0] - 1, values.shape[1] - 1))


def usual_paragraphs(truth: Truth, results: Results) -> dict[str, float]:
    """Paragraph BLEU4, ROUGE and CIDEr over all videos."""

    def letters(sentences: list[str]) -> list[str]:
        text = "".join(letter if letter.isascii() and letter.isalpha() else " " for letter in " ".join(sentences))
        return [" ".join(text.lower().split())]

    references = {video: letters(true["sentences"]) for video, true in truth.items()}
    hypotheses = {video: letters([event["sentence"] for event in results.get(video, ())]) for video in truth}
    return {
        "paragraph BLEU4": Bleu(4).compute_score(references, hypotheses, verbose=0)[0][3],
        "paragraph ROUGE_L": float(Rouge().compute_score(references, hypotheses)[0]),
        "paragraph CIDEr": float(Cider().compute_score(references, hypotheses)[0]),
    }


def usual_way(truth: Truth, results: Results) -> dict[str, float]:
    """All figures of the usual way, as fractions."""
    return usual_dvc_eval(truth, results) | usual_soda(truth, results) | usual_paragraphs(truth, results)


def figures_of(report: Report) -> dict[str, float]:
    """The same figures of a report of cookscribe, which holds many more."""
    dvc = report.dvc["2018"]
    figures = {metric: dvc.mean(metric) for metric in dvc.per_video}
    figures |= {"precision": report.localisation.precision, "recall": report.localisation.recall}
    figures |= {f"SODA {scorer}": report.soda_mean("released", scorer) for scorer in ("CIDEr", "tIoU")}
    figures |= {f"paragraph {m}": report.paragraph[m] for m in ("BLEU4", "ROUGE_L", "CIDEr")}
    return {name: value for name, value in figures.items() if value is not None}


def meteor_seconds(pairs: list[tuple[str, str]]) -> tuple[float, np.ndarray]:
    """Processor time, Java's included, for the statistics of all pairs from the start, and the statistics."""

    def spent() -> float:
        uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(use.ru_utime + use.ru_stime for use in uses)

    meteor.close_meteor()
    before = spent()
    statistics = meteor.pair_statistics(pairs)
    meteor.close_meteor()
    return spent() - before, statistics


def asked(truth: Path, predictions: Path) -> list[tuple[str, str]]:
    """The pairs of captions that a report asks METEOR for."""

    class Asked(MeteorTable):
        def ask(self, pairs: Any) -> None:
            self._known.update({pair: np.zeros(meteor.STATISTICS) for pair in pairs})

    table = Asked()
    evaluate(read_truth(truth), read_predictions(predictions), meteor=table)
    return sorted(table._known)


def main() -> None:
    quick = options(__doc__, "60 videos only").quick
    golden = Path(os.environ.get("COOKSCRIBE_DATA", "")).parent / "golden"
    if "COOKSCRIBE_DATA" in os.environ and golden.is_dir():
        source = "YouCook2 validation, PDVC"
        truth = json.loads((golden / "reference_val_yc2.json").read_text())
        results = json.loads((golden / "P2_pdvc.json").read_text())["results"]
    else:
        source = "made up"
        truth, results = as_files(*made_up(0, videos=457, most=13))
    if quick:
        truth = dict(list(truth.items())[:60])
        results = {video: events for video, events in results.items() if video in truth}
    with tempfile.TemporaryDirectory() as folder:
        truth_file, prediction_file = Path(folder, "truth.json"), Path(folder, "predictions.json")
        truth_file.write_text(json.dumps(truth))
        prediction_file.write_text(json.dumps({"version": "", "results": results, "external_data": {}}))

        def ours() -> dict[str, float]:
            # What an earlier run kept would flatter this one.
            tokens._cached.cache_clear()
            captions.rouge_l.cache_clear()
            return figures_of(evaluate(read_truth(truth_file), read_predictions(prediction_file), meteor=False))

        def usual() -> dict[str, float]:
            tokens._cached.cache_clear()
            return usual_way(json.loads(truth_file.read_text()), json.loads(prediction_file.read_text())["results"])

        our_seconds, our_figures = timed(ours, 3)
        usual_seconds, usual_figures = timed(usual)
        pairs = asked(truth_file, prediction_file)
        meteor.pair_statistics(pairs[:1])  # the compact table is made once for all runs
        part_seconds, part = meteor_seconds(pairs)
        meteor.paraphrase_table = lambda _: None
        meteor.START_SECONDS = 900.0
        whole_seconds, whole = meteor_seconds(pairs)
    difference = max(abs(our_figures[name] - value) for name, value in usual_figures.items())
    seconds = f"usual way {usual_seconds:.2f} s, cookscribe {our_seconds:.2f} s of processor time"
    print(f"{len(truth)} videos ({source}): {seconds}")
    print(f"METEOR, {len(pairs)} pairs: whole table {whole_seconds:.2f} s, cookscribe {part_seconds:.2f} s")
    finish(
        benchmark="evaluation",
        videos=len(truth),
        data=source,
        usual_seconds=round(usual_seconds, 3),
        seconds=round(our_seconds, 3),
        speedup=round(usual_seconds / our_seconds, 1),
        largest_difference=difference,
        meteor_pairs=len(pairs),
        meteor_jar_seconds=round(whole_seconds, 2),
        meteor_seconds=round(part_seconds, 2),
        meteor_speedup=round(whole_seconds / part_seconds, 1),
        meteor_equal=float((part == whole).all(axis=1).mean()),
    )


if __name__ == "__main__":
    main()
