"""The runs of search engines as a table with its statistics.

For ``search.py``. A row compares ours with each peer over the seeds that both have run, by
Wilcoxon's signed-rank test on the logarithms of the regrets, corrected by Holm for all comparisons
of the page. Source: Holm, "A simple sequentially rejective multiple test procedure" (1979).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

__all__ = ["Cost", "compare", "holm", "page"]

#: Regrets below this are equal: the rest is the optimum's own rounding.
_FLOOR = 1e-9
_LEVEL = 0.05
#: Fewer pairs than this cannot reach the level.
_FEWEST = 6
#: Targets of our median, by function and batch.
TARGETS = {
    ("branin", 1): 1e-3,
    ("hart6", 1): 1e-2,
    ("mixed", 1): 1e-4,
    ("branin", 10): 1e-3,
    ("hart6", 10): 0.1,
    ("mixed", 10): 1e-4,
}


@dataclass(frozen=True)
class Cost:
    """The cost of a suggestion after a number of trials of Hartmann 6.

    Attributes:
        milliseconds: CPU time of the search process per suggestion.
        limit: Its target; None for no target.
        gp_milliseconds: CPU time of Optuna's GPSampler; None if not measured.
        megabytes: The search process's peak memory.
        most_megabytes: Its target.
    """

    trials: int
    milliseconds: float
    limit: float | None
    gp_milliseconds: float | None
    megabytes: float
    most_megabytes: float


#: Regrets by seed, for each function, batch and engine.
Regrets = Mapping[tuple[str, int, str], Mapping[int, float]]


def compare(ours: Mapping[int, float], theirs: Mapping[int, float]) -> tuple[float, float] | None:
    """Compare two engines over the seeds that both have run.

    Returns:
        The median difference of the logarithms (negative: ours is better) and the p-value; None
        with too few seeds.
    """
    seeds = sorted(ours.keys() & theirs.keys())
    if len(seeds) < _FEWEST:
        return None
    difference = np.array(
        [np.log(max(ours[one], _FLOOR)) - np.log(max(theirs[one], _FLOOR)) for one in seeds]
    )
    if not difference.any():
        return 0.0, 1.0
    return float(np.median(difference)), float(stats.wilcoxon(difference).pvalue)


def holm(values: Sequence[float]) -> list[float]:
    """Return adjusted p-values, in the given order."""
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, index in enumerate(np.argsort(values)):
        highest = max(highest, min(1.0, values[index] * (len(values) - rank)))
        adjusted[index] = highest
    return adjusted


def _by_seed(courses: Sequence[Any]) -> dict[tuple[str, int, str], dict[int, float]]:
    found: dict[tuple[str, int, str], dict[int, float]] = {}
    for one in courses:
        found.setdefault((one.function, one.batch, one.engine), {})[one.seed] = one.regret
    return found


def _verdicts(regrets: Regrets) -> dict[tuple[str, int, str], str]:
    """Return whether ours won, lost or neither, by function, batch and peer."""
    keys, seen = [], []
    for key, theirs in regrets.items():
        ours = regrets.get((key[0], key[1], "ours"), {})
        found = compare(ours, theirs) if key[2] != "ours" else None
        if found is not None:
            keys.append(key)
            seen.append(found)
    adjusted = holm([value for _, value in seen])
    verdicts = {}
    for key, (difference, _), value in zip(keys, seen, adjusted, strict=True):
        if value >= _LEVEL:
            verdicts[key] = "="
        else:
            verdicts[key] = "won" if difference < 0 else "**lost**"
    return verdicts


def page(courses: Sequence[Any], costs: Sequence[Cost]) -> str:
    """Return the page for the documentation, in Markdown."""
    regrets = _by_seed(courses)
    engines = list(dict.fromkeys(one.engine for one in courses))
    engines.sort(key=lambda name: name != "ours")
    verdicts = _verdicts(regrets)
    heads = ["function", "batch", "target", *engines]
    rows = [heads, ["---"] * len(heads)]
    for function, batch in dict.fromkeys((one.function, one.batch) for one in courses):
        target = TARGETS.get((function, batch))
        row = [function, str(batch), f"≤ {target:g}" if target else ""]
        for engine in engines:
            found = regrets.get((function, batch, engine))
            cell = f"{np.median(list(found.values())):.2g}" if found else "-"
            few = _few(found, regrets.get((function, batch, "ours"), {})) if found else ""
            row.append(" ".join([cell, verdicts.get((function, batch, engine), few)]).strip())
        rows.append(row)
    return "\n".join(
        [
            "# The search engine beside its peers",
            "",
            "Written by `benchmarks/search.py`. Median simple regret over seeds; every seed moves",
            "the optimum. After 50 trials one at a time, or 100 in batches of 10. *won*: ours is",
            "better, *lost*: worse, at p < 0.05 by the signed-rank test, paired over the seeds and",
            "corrected by Holm for all comparisons of the page; =: neither, none: too few seeds.",
            "",
            "*tpe* and *gp* are Optuna's samplers of these names. *vizier* is open-source Vizier's",
            "GP-UCB-PE, with compiled programs kept on disk: it takes seconds per suggestion, so",
            "few seeds, in brackets with what ours gives on them, and no conditional spaces.",
            "",
            *_table(rows),
            "",
            "CPU milliseconds per trial, ask and tell, over all rows:",
            "",
            *_table(_means(courses, engines)),
            "",
            *_late(costs),
        ]
    )


def _few(found: Mapping[int, float], ours: Mapping[int, float]) -> str:
    """Return the note on a median of too few seeds: their number, and ours on the same."""
    if len(found) >= _FEWEST or not found.keys() <= ours.keys():
        return ""
    return f"({len(found)} seeds; ours {np.median([ours[seed] for seed in found]):.2g})"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in rows]


def _means(courses: Sequence[Any], engines: Sequence[str]) -> list[list[str]]:
    rows = [["engine", "seeds", "mean", "in the last batch of 100 trials"], ["---"] * 4]
    for engine in engines:
        mine = [one for one in courses if one.engine == engine]
        last = [one.last_milliseconds for one in mine if one.batch == 10]
        rows.append(
            [
                engine,
                str(len({one.seed for one in mine})),
                f"{np.mean([one.milliseconds for one in mine]):.1f}",
                f"{np.mean(last):.1f}" if last else "-",
            ]
        )
    return rows


def _late(costs: Sequence[Cost]) -> list[str]:
    """Return the table of the cost of a suggestion in a long study."""
    if not costs:
        return []
    heads = ["trials before", "ours", "target", "gp", "search process, MB", "target"]
    rows = [heads, ["---"] * len(heads)]
    for one in costs:
        rows.append(
            [
                f"{one.trials:,}",
                f"{one.milliseconds:.0f}",
                f"≤ {one.limit:g}" if one.limit else "",
                f"{one.gp_milliseconds:.0f}" if one.gp_milliseconds else "-",
                f"{one.megabytes:.0f}",
                f"≤ {one.most_megabytes:g}",
            ]
        )
    return [
        "CPU milliseconds per suggestion later in a study of Hartmann 6, and the memory of the",
        "process that searches; by `benchmarks/search_cost.py`:",
        "",
        *_table(rows),
        "",
    ]
