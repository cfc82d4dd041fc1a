"""A study as an HTML file, and how sure its best trial is."""

import json
import re

import pytest
from studies import conditional_job, tuning_job

from vertex_jobs.search import Parameter
from vertex_jobs.study import Study
from vertex_jobs.study.report.charts import even_values

graph_objects = pytest.importorskip("plotly.graph_objects", reason="no extra 'report'")


def titles(html):
    return re.findall("<h2>(.*?)</h2>", html)


def charts(html):
    found = re.search(r"<script>const charts = (.*?);\n", html)
    return json.loads(found[1])


def chart(html, title):
    return charts(html)[titles(html).index(title)]


def slice_of(slices, label):
    """Return the traces over a parameter."""
    (axis,) = [
        key
        for key, value in slices["layout"].items()
        if key.startswith("xaxis") and value["title"]["text"] == label
    ]
    return [one for one in slices["data"] if one["xaxis"] == axis.replace("axis", "")]


def renamed(names):
    """Return a tuning job with some texts replaced."""
    text = json.dumps(tuning_job())
    for old, new in names.items():
        text = text.replace(json.dumps(old), json.dumps(new))
    return json.loads(text)


@pytest.fixture(scope="module")
def html():
    return Study.from_resource(tuning_job()).to_html()


def test_report_has_every_chart(html):
    assert titles(html) == [
        "History of accuracy",
        "Learning curves of accuracy",
        "Importance for accuracy",
        titles(html)[3],
        "Slices of accuracy",
        "Parallel coordinates",
        "Timeline",
        "Trials",
    ]
    assert titles(html)[3].startswith("accuracy by learning_rate and ")


def test_plotly_accepts_every_chart(html):
    figures = [graph_objects.Figure(chart) for chart in charts(html)]
    assert len(figures) == 7


def test_texts_of_the_study_are_no_markup(html):
    body = html[html.index("<main>") :]
    assert "digits <b>" not in body
    assert body.count("</script>") == 1


def test_several_metrics_show_the_front_first():
    study = Study.from_resource(tuning_job(metrics=("accuracy", "latency")))
    shown = titles(study.to_html())
    assert (shown[0], shown.count("Timeline")) == ("Pareto front", 1)
    assert {"Slices of accuracy", "Slices of latency"} <= set(shown)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, ["Trials"]),
        (
            2,
            [
                "History of accuracy",
                "Learning curves of accuracy",
                "Parallel coordinates",
                "Timeline",
                "Trials",
            ],
        ),
    ],
)
def test_few_trials_show_what_there_is(count, expected):
    assert titles(Study.from_resource(tuning_job(count)).to_html()) == expected


def test_a_slice_of_a_nested_parameter_shows_it_where_it_is_active():
    """It has one although the best trial has no active parent."""
    html = Study.from_resource(conditional_job()).to_html()
    slices = charts(html)[titles(html).index("Slices of accuracy")]
    (line,) = [
        one for one in slice_of(slices, "decay") if one["mode"] == "lines" and "fill" not in one
    ]
    assert line["x"][::20] == [0.0, 0.5, 1.0]


def test_parameters_that_share_a_name_are_told_apart():
    html = Study.from_resource(conditional_job()).to_html()
    (data,) = charts(html)[titles(html).index("Parallel coordinates")]["data"]
    of_adam, of_sgd = [one for one in data["dimensions"] if one["label"].startswith("rate")]
    assert of_sgd["label"] == "rate (optimizer = sgd)"
    assert sum(value < 0 for value in of_sgd["values"]) == 11
    assert max(of_adam["values"]) <= -2


def test_a_study_without_a_feasible_trial_says_so():
    html = Study.from_resource(tuning_job(2, infeasible=(1, 2))).to_html()
    assert "no trial can be the best" in html
    assert titles(html) == ["Timeline", "Trials"]


def test_why_says_how_sure_it_is():
    study = Study.from_resource(tuning_job())
    assert re.search(
        r"By a model of 19 trials the chance that it is truly the best of them is (over )?\d+ %",
        study.why,
    )


def integer_job(values, repeats=1):
    """Return trials of one integer parameter, with a number of measurements of each value."""
    parameters = [{"parameterId": "x", "integerValueSpec": {"minValue": "1", "maxValue": "9"}}]
    trials = [
        {
            "id": str(number),
            "state": "SUCCEEDED",
            "parameters": [{"parameterId": "x", "value": float(place)}],
            "finalMeasurement": {"metrics": [{"metricId": "accuracy", "value": value}]},
        }
        for number, (place, value) in enumerate([*enumerate(values, start=1)] * repeats, start=1)
    ]
    spec = {"metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}], "parameters": parameters}
    return {"name": "x", "studySpec": spec, "trials": trials}


def test_trials_of_equal_parameters_are_no_rivals():
    study = Study.from_resource(integer_job([0.5, 0.9, 0.7], repeats=10))
    assert "truly the best of them is over 99 %; one value" in study.why


def test_a_rival_has_another_setting():
    study = Study.from_resource(integer_job([0.5, 0.9, 0.8999, 0.6], repeats=3))
    chances = study.confidence.chances
    assert chances["2"] == chances["6"] == chances["10"]
    assert chances["2"] + chances["3"] == pytest.approx(1, abs=0.01)
    assert re.search(r"against \d+ % for trial 3;", study.why)


def test_equal_values_say_nothing_of_noise_and_chances():
    study = Study.from_resource(integer_job([1e9] * 9))
    assert study.why.endswith(
        "The values of all 9 trials are equal up to rounding, so nothing tells which is truly the "
        "best."
    )


def test_ticks_of_the_widest_range_are_spread():
    wide = Parameter("x", "double", 1e-300, 1e300, scale="log")
    assert even_values(wide) == pytest.approx([1e-300, 1e-150, 1, 1e150, 1e300])
    middle = even_values(Parameter("x", "double", -1.7e308, 1.7e308))[1:4]
    assert middle == pytest.approx([-8.5e307, 0, 8.5e307])


def test_few_trials_say_nothing_of_chances():
    assert "chance" not in Study.from_resource(tuning_job(4, infeasible=())).why


def test_a_trial_outside_of_its_spec_leaves_the_decision_and_no_model():
    resource = tuning_job()
    resource["trials"][0]["parameters"][0]["value"] = 7.0
    study = Study.from_resource(resource)
    assert (study.confidence, study.why.startswith("Trial ")) == (None, True)


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        (("accuracy",), "infeasible: The replica </script> exited."),
        (("accuracy", "latency"), "infeasible: The replica </script> exited."),
    ],
)
def test_an_infeasible_trial_says_why_not(metrics, expected):
    study = Study.from_resource(tuning_job(metrics=metrics))
    assert study.why_not(study.trial("4")) == expected


def test_a_runner_up_says_by_how_much_it_lost():
    study = Study.from_resource(tuning_job())
    second = study.ranking.candidates()[1]
    assert re.fullmatch(r"[0-9.e-]+ lower, within the noise", study.why_not(second))
    assert study.why_not(study.best_trial) == ""


def test_a_dominated_trial_names_one_that_beats_it():
    study = Study.from_resource(tuning_job(metrics=("accuracy", "latency")))
    lost = [one for one in study.ranking.candidates() if one not in study.best_trials]
    assert all(re.fullmatch(r"beaten by trial \d+", study.why_not(one)) for one in lost)


LONG = "<b>trained & tuned</b> number 1"


@pytest.fixture(scope="module")
def odd():
    """Return the report of a study whose texts are long and look like HTML."""
    resource = renamed(
        {
            "accuracy": "a<c",
            "adam": LONG,
            "batch": "a_parameter_with_a_name_longer_than_that",
            "units": "<i>units</i>",
            "256": "4096",
        }
    )
    for trial in resource["trials"]:
        if trial["parameters"][3]["value"] == LONG and "finalMeasurement" in trial:
            trial["finalMeasurement"]["metrics"][0]["value"] += 1
    return Study.from_resource(resource).to_html()


def test_a_category_shows_as_typed(odd):
    slices = chart(odd, "Slices of a&lt;c")
    (axis,) = [one for one in slices["layout"].values() if "categoryarray" in str(one)]
    assert axis["categoryarray"] == axis["tickvals"] == [LONG, "sgd"]
    assert axis["ticktext"] == ["&lt;b&gt;train…umber 1", "sgd"]
    *_, dots = slice_of(slices, "optimizer")
    assert set(dots["x"]) == {LONG, "sgd"}
    assert any("&lt;b&gt;trained &amp; tuned&lt;/b&gt; number 1" in one for one in dots["text"])


def test_plotly_reads_no_markup_in_texts_of_the_study(odd):
    # plotly draws the ticks of parallel coordinates as they are.
    drawn = [one for one in charts(odd) if one["data"][0]["type"] != "parcoords"]
    texts = [
        text
        for one in drawn
        for part in (*one["data"], *one["layout"].values())
        if isinstance(part, dict)
        for key in ("text", "ticktext", "hovertemplate", "title")
        for text in re.findall("<[^>]*>", str(part.get(key)))
    ]
    assert set(texts) <= {"<br>", "<extra>", "</extra>"}


def test_parallel_coordinates_have_short_texts(odd):
    (data,) = chart(odd, "Parallel coordinates")["data"]
    _, units, batch, optimizer, _, metric = data["dimensions"]
    assert (units["label"], metric["label"]) == ("&lt;i&gt;units&lt;/i&gt;", "a&lt;c")
    assert units["ticktext"] == ["16", "1036", "2056", "3076", "4096"]
    assert optimizer["ticktext"] == ["<b>train…umber 1", "sgd"]
    assert batch["label"] == "a_parameter_with…onger_than_that"


def test_nothing_is_shown_between_two_categories(odd):
    slices = chart(odd, "Slices of a&lt;c")
    marks, _ = slice_of(slices, "optimizer")
    assert (marks["mode"], marks["x"]) == ("markers", [LONG, "sgd"])
    assert min(marks["error_y"]["array"]) > 0
    (surface,) = [one for one in charts(odd) if "z" in one["data"][0]]
    assert LONG in surface["data"][0]["x"] or LONG in surface["data"][0]["y"]
    assert surface["data"][0]["type"] == "heatmap"
    assert graph_objects.Figure(surface)


def test_a_number_that_is_not_finite_is_a_gap():
    resource = tuning_job(3, infeasible=())
    resource["trials"][0]["measurements"][1]["metrics"][0]["value"] = "NaN"
    html = Study.from_resource(resource).to_html()
    curves = chart(html, "Learning curves of accuracy")["data"]
    assert [one["y"][1] is None for one in curves].count(True) == 1


def test_numbers_near_the_largest_make_a_report():
    resource = tuning_job(8, infeasible=())
    for place, trial in enumerate(resource["trials"]):
        trial["finalMeasurement"]["metrics"][0]["value"] = 1.7e308 * (-1) ** place
    html = Study.from_resource(resource).to_html()
    assert set(chart(html, "History of accuracy")["data"][0]["y"]) == {None}
