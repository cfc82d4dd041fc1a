"""Studies in the API's JSON, made by a formula, for the tests of what is read from them."""

import math
import random

PARAMETERS = [
    {
        "parameterId": "learning_rate",
        "doubleValueSpec": {"minValue": 1e-4, "maxValue": 0.1},
        "scaleType": "UNIT_LOG_SCALE",
    },
    {"parameterId": "units", "integerValueSpec": {"minValue": "16", "maxValue": "256"}},
    {"parameterId": "batch", "discreteValueSpec": {"values": [16.0, 32.0, 64.0]}},
    {
        "parameterId": "optimizer",
        "categoricalValueSpec": {"values": ["adam", "sgd"]},
        "conditionalParameterSpecs": [
            {
                "parentCategoricalValues": {"values": ["sgd"]},
                "parameterSpec": {
                    "parameterId": "momentum",
                    "doubleValueSpec": {"maxValue": 0.99},
                },
            }
        ],
    },
]


def tuning_job(count=20, *, metrics=("accuracy",), name="digits <b>&</b>", infeasible=(4,)):
    """A tuning job's resource: accuracy depends on the learning rate, latency on the units."""
    draw = random.Random(0)
    goals = {"accuracy": "MAXIMIZE", "latency": "MINIMIZE"}
    return {
        "name": "projects/7/locations/us-central1/hyperparameterTuningJobs/8",
        "displayName": name,
        "state": "JOB_STATE_SUCCEEDED",
        "studySpec": {
            "metrics": [{"metricId": metric, "goal": goals[metric]} for metric in metrics],
            "parameters": PARAMETERS,
        },
        "trialJobSpec": {"baseOutputDirectory": {"outputUriPrefix": "gs://bucket/out"}},
        "trials": [_trial(number, draw, number in infeasible) for number in range(1, count + 1)],
    }


def _trial(number, draw, is_infeasible):
    rate, units = 10 ** draw.uniform(-4, -1), draw.randint(16, 256)
    optimizer = draw.choice(["adam", "sgd"])
    values = {
        "learning_rate": rate,
        "units": float(units),
        "batch": draw.choice([16.0, 32.0, 64.0]),
    }
    values["optimizer"] = optimizer
    if optimizer == "sgd":
        values["momentum"] = draw.uniform(0, 0.99)
    resource = {
        "id": str(number),
        "state": "INFEASIBLE" if is_infeasible else "SUCCEEDED",
        "parameters": [{"parameterId": key, "value": value} for key, value in values.items()],
        "startTime": f"2026-01-01T00:{number:02}:00.123456789Z",
        "endTime": f"2026-01-01T00:{number:02}:50Z",
    }
    if is_infeasible:
        return resource | {"infeasibleReason": "The replica </script> exited."}
    accuracy = 0.95 - 0.05 * (math.log10(rate) + 2.5) ** 2
    measurements = [
        {
            "stepCount": str(step),
            "metrics": [
                {"metricId": "accuracy", "value": accuracy - 0.3 / step},
                {"metricId": "latency", "value": units / 10},
            ],
        }
        for step in (1, 2, 3)
    ]
    return resource | {"measurements": measurements, "finalMeasurement": measurements[-1]}


def _if(parent_value, name, **spec):
    return {
        "parentCategoricalValues": {"values": [parent_value]},
        "parameterSpec": {"parameterId": name, **spec},
    }


def conditional_job(count=16):
    """A tuning job in which two parameters are called rate, and one hangs from two others."""
    draw = random.Random(0)
    decay = _if("yes", "decay", doubleValueSpec={"maxValue": 1})
    scheduled = _if(
        "sgd",
        "scheduled",
        categoricalValueSpec={"values": ["no", "yes"]},
        conditionalParameterSpecs=[decay],
    )
    of_adam = {"minValue": 1e-4, "maxValue": 1e-2}
    root = {
        "parameterId": "optimizer",
        "categoricalValueSpec": {"values": ["adam", "sgd"]},
        "conditionalParameterSpecs": [
            _if("adam", "rate", doubleValueSpec=of_adam, scaleType="UNIT_LOG_SCALE"),
            _if("sgd", "rate", doubleValueSpec={"maxValue": 1}),
            scheduled,
        ],
    }
    trials = []
    for number in range(1, count + 1):
        values = {"optimizer": "adam", "rate": 10 ** draw.uniform(-4, -2)}
        if number % 3 == 0:  # never the best
            values = {"optimizer": "sgd", "rate": draw.random(), "scheduled": "no"}
            if number % 2:
                values |= {"scheduled": "yes", "decay": draw.random()}
        score = values["rate"] if values["optimizer"] == "adam" else -values["rate"]
        trials.append(
            {
                "id": str(number),
                "state": "SUCCEEDED",
                "parameters": [{"parameterId": key, "value": one} for key, one in values.items()],
                "startTime": f"2026-01-01T00:{number:02}:00Z",
                "finalMeasurement": {"metrics": [{"metricId": "accuracy", "value": score}]},
            }
        )
    spec = {"metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}], "parameters": [root]}
    return tuning_job(0) | {"studySpec": spec, "trials": trials}
