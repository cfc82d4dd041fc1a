"""The division of a dataset's rows into training, validation and test set.

Source: InputDataConfig proto and the messages of its splits. What the documentation leaves to the
service is chosen here: rows are dealt out in order, so that every set is spread over the data.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.status import ApiError

SETS = ("training", "validation", "test")
#: Source: FractionSplit proto: by default roughly 80, 10 and 10 percent.
_DEFAULT = (0.8, 0.1, 0.1)
_TOLERANCE = 1e-9
#: Source: StratifiedSplit proto: other values, and those of fewer rows, are split at random.
_STRATA = 500
_LEAST_ROWS = 3
_COLUMN_SPLITS = ("predefined_split", "timestamp_split", "stratified_split")


@dataclass(frozen=True)
class Row:
    """One row: its text as written, with the line's end, and its columns or labels."""

    text: str
    columns: Mapping[str, str]


def _fractions(split: protos.Message) -> tuple[float, ...]:
    """Return the three fractions; what is not given goes to the sets that name none."""
    given = [getattr(split, f"{name}_fraction") for name in SETS]
    if not any(given):
        return _DEFAULT
    rest = 1.0 - sum(given)
    if rest < -_TOLERANCE or min(given) < 0:
        raise ApiError("INVALID_ARGUMENT", "The fractions must not be negative or exceed 1.")
    unset = [index for index, one in enumerate(given) if not one] or [0]
    return tuple(
        one + (rest / len(unset) if index in unset and rest > _TOLERANCE else 0.0)
        for index, one in enumerate(given)
    )


def check_split(config: protos.Message) -> None:
    """Refuse a split that makes no sense, with INVALID_ARGUMENT."""
    kind = config.WhichOneof("split")
    if kind in ("fraction_split", "timestamp_split", "stratified_split"):
        _fractions(getattr(config, kind))
    if kind in _COLUMN_SPLITS and not getattr(config, kind).key:
        raise ApiError("INVALID_ARGUMENT", f"input_data_config.{kind}.key: The key is required.")


def split_rows(rows: Iterable[Row], config: protos.Message) -> dict[str, list[Row]]:
    """Return the rows of each set."""
    kind = config.WhichOneof("split")
    if kind == "predefined_split":
        return _by_column(rows, config.predefined_split.key)
    if kind == "timestamp_split":
        return _by_time(rows, config.timestamp_split)
    if kind == "stratified_split":
        return _by_stratum(rows, config.stratified_split)
    return _dealt(rows, _fractions(config.fraction_split))


def _dealt(rows: Iterable[Row], fractions: tuple[float, ...]) -> dict[str, list[Row]]:
    """Give each row to the set that is furthest behind its fraction."""
    sets: dict[str, list[Row]] = {name: [] for name in SETS}
    for number, row in enumerate(rows, start=1):
        behind = [
            fraction * number - len(sets[name])
            for fraction, name in zip(fractions, SETS, strict=True)
        ]
        sets[SETS[behind.index(max(behind))]].append(row)
    return sets


def _by_column(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    """By the set's name in a column; rows with any other value are left out."""
    sets: dict[str, list[Row]] = {name: [] for name in SETS}
    for row in rows:
        name = row.columns.get(key, "").lower()
        if name in sets:
            sets[name].append(row)
    return sets


def _by_time(rows: Iterable[Row], split: protos.Message) -> dict[str, list[Row]]:
    """Train with the oldest rows, test with the newest; rows without a time are left out."""
    timed = [row for row in rows if row.columns.get(split.key)]
    timed.sort(key=lambda row: row.columns[split.key])
    sets, start, upto = {}, 0, 0.0
    for name, fraction in zip(SETS, _fractions(split), strict=True):
        upto += fraction
        end = round(upto * len(timed))
        sets[name] = timed[start:end]
        start = end
    return sets


def _by_stratum(rows: Iterable[Row], split: protos.Message) -> dict[str, list[Row]]:
    """Deal out each value of a column by itself, rare values together as one."""
    rows = list(rows)
    counts = Counter(row.columns.get(split.key, "") for row in rows)
    strata = {
        value for value, count in counts.most_common(_STRATA) if count >= _LEAST_ROWS and value
    }
    members: dict[str, list[Row]] = {}
    for row in rows:
        value = row.columns.get(split.key, "")
        members.setdefault(value if value in strata else "", []).append(row)
    fractions = _fractions(split)
    dealt = [_dealt(stratum, fractions) for stratum in members.values()]
    return {name: [row for sets in dealt for row in sets[name]] for name in SETS}
