"""A StudySpec in the API's JSON, read for a search."""

import math

import pytest

from vertex_jobs.search.study_spec import is_maximized, read_algorithm, read_space


def space(*parameters):
    return read_space({"parameters": parameters}).parameters


def test_integers_are_texts_and_defaults_are_absent():
    (found,) = space({"parameterId": "n", "integerValueSpec": {"maxValue": "16"}})
    assert (found.kind, found.low, found.high, found.scale) == ("integer", 0, 16, "linear")


def test_not_a_number_is_a_text_that_no_range_has():
    with pytest.raises(ValueError, match="must not exceed high, both finite"):
        space({"parameterId": "x", "doubleValueSpec": {"minValue": "NaN", "maxValue": 1.0}})


def test_children_follow_their_parent_and_know_its_values():
    child = {"parameterId": "depth", "doubleValueSpec": {"maxValue": 1.0}}
    condition = {"parentIntValues": {"values": ["2", "3"]}, "parameterSpec": child}
    parent = {
        "parameterId": "layers",
        "integerValueSpec": {"minValue": "1", "maxValue": "3"},
        "conditionalParameterSpecs": [condition],
    }
    _, found = space(parent)
    assert (found.parent, found.parent_values) == ("layers", (2, 3))


@pytest.mark.parametrize("scale", ["UNIT_LOG_SCALE", 2])
def test_enums_by_name_or_number(scale):
    values = {"values": [1.0, 10.0]}
    (found,) = space({"parameterId": "b", "discreteValueSpec": values, "scaleType": scale})
    assert (found.scale, found.values) == ("log", (1.0, 10.0))


def test_a_nan_among_discrete_values_is_read_as_one():
    with pytest.raises(ValueError, match=str(math.nan)):
        space({"parameterId": "b", "discreteValueSpec": {"values": ["NaN"]}})


@pytest.mark.parametrize(
    ("algorithm", "name"),
    [("GRID_SEARCH", "grid"), (3, "random"), (None, "gaussian_process")],
)
def test_the_search_that_is_asked_for(algorithm, name):
    assert read_algorithm({"algorithm": algorithm}) == name


def test_an_unspecified_goal_is_maximize():
    goals = ({}, {"goal": "MAXIMIZE"}, {"goal": "MINIMIZE"}, {"goal": 2})
    assert [is_maximized(one) for one in goals] == [True, True, False, False]
