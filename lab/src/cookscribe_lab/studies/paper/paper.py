"""The figures the paper printed (Nishimura et al., recipe generation from unsegmented cooking videos), for its rows
beside ours.

They are for real features (TSN or MIL-NCE) of the YouCook2 validation videos; ours are for whatever the table says.
"""

Figures = dict[str, float]

# The six figures of the paper's tables, in its order; our headings.
COLUMNS = ("dvc BLEU4", "dvc METEOR", "dvc CIDEr-D", "SODA METEOR", "SODA CIDEr-D", "SODA tIoU")


def _six(*values: float) -> Figures:
    return dict(zip(COLUMNS, values, strict=True))


# Main table; N = 100, TSN for PDVC and the oracle, MIL-NCE for the others.
MAIN: dict[str, Figures] = {
    "MT": {"dvc BLEU4": 0.30, "dvc METEOR": 3.18, "dvc CIDEr-D": 6.10},
    "ECHR": {"dvc METEOR": 3.82},
    "SGR": {"SODA METEOR": 4.35},
    "PDVC as reported": {"dvc BLEU4": 0.80, "dvc METEOR": 4.72, "dvc CIDEr-D": 22.71, "SODA METEOR": 4.42},
    "PDVC": _six(0.56, 5.80, 21.47, 3.99, 15.10, 27.80),
    "PDVC comparable": _six(0.45, 4.42, 15.63, 3.06, 7.34, 24.24),
    "B": _six(1.04, 6.03, 24.98, 5.45, 25.09, 33.23),
    "BI": _six(1.39, 7.18, 31.07, 6.44, 31.69, 35.10),
    "BIV": _six(1.40, 7.27, 32.67, 6.46, 32.95, 34.13),
    "BIVT": _six(1.92, 8.04, 37.24, 7.29, 38.93, 35.06),
    "oracle": _six(0.97, 7.68, 36.30, 9.64, 35.09, 71.16),
}

# The oracle by number of candidates, and PDVC beside it, as printed there (PDVC stands otherwise in the main table).
ORACLE: dict[int, Figures] = {
    25: _six(0.58, 6.09, 27.12, 7.62, 26.32, 56.55),
    50: _six(0.84, 6.92, 31.63, 8.83, 29.93, 64.58),
    100: _six(0.97, 7.68, 36.26, 9.64, 35.08, 71.16),
    200: _six(1.10, 8.15, 38.60, 10.43, 36.89, 76.71),
}
ANALYSED_PDVC: Figures = _six(0.89, 4.52, 21.50, 3.98, 25.30, 27.80)

# FLOPs (10⁹), parameters (10⁶), training time (hours), inference time (seconds a video).
COSTS: dict[str, tuple[float, float, float, float]] = {
    "PDVC": (148.00, 20.64, 2.71, 0.06),
    "PDVC comparable": (362.72, 48.10, 8.98, 0.09),
    "B": (37.21, 47.09, 2.41, 0.17),
    "BI": (78.65, 47.32, 3.67, 0.17),
    "BIV": (78.9, 52.7, 4.72, 0.19),
    "BIVT": (78.9, 52.7, 4.79, 0.18),
}

# Share of recipes whose number of events is off by at most 0, 1, 2, 3.
COUNTS: dict[str, tuple[float, float, float, float]] = {
    "PDVC": (14.4, 40.0, 63.0, 76.4),
    "B": (18.6, 52.1, 71.7, 83.4),
    "BI": (18.8, 51.6, 73.5, 87.3),
    "BIV": (20.5, 51.8, 74.2, 86.2),
    "BIVT": (19.7, 51.8, 73.5, 87.5),
}

LOSSES: dict[str, Figures] = {
    "a": _six(1.11, 6.37, 26.54, 5.69, 26.54, 33.15),
    "b": _six(1.28, 7.31, 31.59, 6.46, 33.10, 33.78),
    "c": _six(1.44, 7.32, 32.19, 6.35, 30.86, 33.35),
    "d": _six(1.57, 7.45, 33.56, 6.76, 35.45, 34.56),
    "e": _six(1.76, 7.79, 36.84, 7.12, 36.96, 34.91),
    "f": _six(1.57, 7.70, 34.58, 6.93, 37.42, 34.53),
    "g": _six(1.92, 8.04, 37.24, 7.29, 38.93, 35.06),
}

SEPARATE: dict[str, Figures] = {
    "B": _six(0.92, 5.67, 24.19, 5.19, 23.12, 33.96),
    "BIV": _six(1.39, 7.24, 33.02, 6.54, 33.00, 33.81),
    "BIVT": _six(1.78, 7.85, 36.65, 6.92, 36.84, 33.85),
}

# Video with the captions of the candidates.
WITH_CAPTIONS: dict[str, Figures] = {
    "B": _six(0.44, 3.91, 15.49, 3.51, 13.21, 27.33),
    "BIV": _six(0.60, 4.68, 19.02, 4.03, 14.17, 27.32),
    "BIVT": _six(0.78, 5.18, 21.00, 4.66, 19.51, 28.94),
}

TSN: dict[str, Figures] = {
    "B": _six(0.36, 4.24, 15.55, 3.79, 14.98, 31.71),
    "BIV": _six(0.52, 4.93, 18.98, 4.51, 18.32, 31.77),
    "BIVT": _six(0.99, 5.87, 23.60, 5.26, 22.84, 32.36),
}

CANDIDATES: dict[str, dict[int, Figures]] = {
    "B": {
        25: _six(1.27, 6.49, 27.84, 6.19, 29.34, 35.26),
        50: _six(0.98, 6.42, 27.12, 5.89, 26.34, 33.79),
        100: _six(1.04, 6.03, 24.98, 5.45, 25.08, 33.26),
        200: _six(0.93, 6.16, 25.93, 5.52, 26.13, 33.93),
    },
    "BIV": {
        25: _six(1.71, 7.50, 34.18, 7.02, 36.39, 36.13),
        50: _six(1.51, 7.52, 33.37, 6.86, 34.24, 35.60),
        100: _six(1.40, 7.27, 32.67, 6.46, 32.95, 34.13),
        200: _six(1.23, 6.81, 29.51, 5.95, 28.86, 33.15),
    },
    "BIVT": {
        25: _six(1.87, 7.95, 36.12, 7.51, 39.06, 36.74),
        50: _six(1.81, 7.99, 36.48, 7.36, 38.49, 36.38),
        100: _six(1.92, 8.04, 37.24, 7.29, 38.93, 35.06),
        200: _six(1.78, 7.66, 35.21, 6.77, 35.64, 33.48),
    },
}

# SODA METEOR, CIDEr-D and tIoU by number of layers.
LAYERS: dict[str, dict[int, Figures]] = {
    letters: {count: dict(zip(COLUMNS[3:], values, strict=True)) for count, values in by_count.items()}
    for letters, by_count in {
        "B": {1: (5.39, 26.26, 32.52), 2: (5.45, 25.09, 33.23), 4: (5.25, 25.52, 32.06)},
        "BIV": {1: (6.47, 32.59, 34.17), 2: (6.46, 32.95, 34.13), 4: (6.33, 31.44, 34.87)},
        "BIVT": {1: (6.94, 36.96, 33.59), 2: (7.29, 38.93, 35.06), 4: (7.11, 38.30, 34.90)},
    }.items()
}
