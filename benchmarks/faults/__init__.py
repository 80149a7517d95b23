"""The classes of faults that `benchmarks/reliability.py` tries: one module each, with a function `cases`.

A case is a function that is given an empty folder. It builds something hostile there, lets the program loose on it, and
raises `Broken` when the program does not keep its promises: an answer, or a typed error in one line with its exit code,
within bounds of time and memory, with nothing half-written left behind. Where nearly everything may be refused, there
are also cases of things that are whole: they must be answered, and nothing may be said against them.
"""
