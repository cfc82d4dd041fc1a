"""Trials as the real service answered them: saved outputs of public notebooks, word for word.

Not written by us; the tests hold Local Vertex's answers against them.
"""

from typing import Any

from google.cloud import aiplatform_v1
from google.protobuf import text_format

#: The best trial of a study of 2022 whose script reports without global_step.
#: Source: statmike/vertex-ai-mlops, "05 - TensorFlow/05g - Vertex AI > Training > Hyperparameter
#: Tuning Jobs.ipynb", section "Get Best Run".
OF_A_TUNING_JOB = """
id: "6"
state: SUCCEEDED
parameters {
  parameter_id: "lr"
  value {
    number_value: 0.1
  }
}
parameters {
  parameter_id: "m"
  value {
    number_value: 0.7739104590449799
  }
}
final_measurement {
  step_count: 1
  metrics {
    metric_id: "auprc"
    value: 0.9998486042022705
  }
}
start_time {
  seconds: 1661571255
  nanos: 704954888
}
end_time {
  seconds: 1661571987
}
"""

#: Parameters of the best trial of a study of 2022, with two INTEGER ones and a CATEGORICAL one.
#: Source: ageron/handson-ml3, 19_training_and_deploying_at_scale.ipynb, cell 168.
PARAMETERS = """
parameters { parameter_id: "learning_rate" value { number_value: 0.001 } }
parameters { parameter_id: "n_hidden" value { number_value: 8.0 } }
parameters { parameter_id: "n_neurons" value { number_value: 216.0 } }
parameters { parameter_id: "optimizer" value { string_value: "adam" } }
"""

#: The first of the optimal trials of a Vizier study of 2021, whose client gave no step. Source:
#: GoogleCloudPlatform/training-data-analyst, gapic-vizier-multi-objective-optimization.ipynb of
#: courses/machine_learning/deepdive2/machine_learning_in_the_enterprise/labs, cell 21.
OF_A_STUDY = """
name: "projects/391139538071/locations/us-central1/studies/4148221033615/trials/1"
state: SUCCEEDED
parameters {
  parameter_id: "r"
  value {
    number_value: 0.03893888417627182
  }
}
parameters {
  parameter_id: "theta"
  value {
    number_value: 0.3988419180639039
  }
}
final_measurement {
  metrics {
    metric_id: "y1"
    value: 0.015121970858440737
  }
  metrics {
    metric_id: "y2"
    value: 0.03588262390419046
  }
}
measurements {
  metrics {
    metric_id: "y1"
    value: 0.015121970858440737
  }
  metrics {
    metric_id: "y2"
    value: 0.03588262390419046
  }
}
start_time {
  seconds: 1630054967
}
end_time {
  seconds: 1630054968
}
client_id: "client1"
"""

#: All five trials of that study, as r and theta; y1 is minimized, y2 maximized. Cell 19.
POINTS = (
    (0.03893888417627182, 0.3988419180639039),
    (0.04066320382453006, 0.6858991584724603),
    (0.4042052370970049, 1.106379858142033),
    (0.9825916425559784, 1.1259051135578624),
    (0.8216538878117338, 1.3492454486236054),
)
#: Which of them were optimal, in the answer's order. Cell 21.
OPTIMAL = ("1", "3", "4")


def seen_trial(text: str) -> Any:
    """The plain message of a saved output."""
    return text_format.Parse(text, aiplatform_v1.Trial.pb()())


def shape(message: Any) -> Any:
    """Which fields a message has, at every depth; of lists that of each different element."""
    found = {}
    for field, value in message.ListFields():
        if field.message_type is None:
            found[field.name] = "set"
        elif field.is_repeated:
            found[field.name] = [
                one
                for index, one in enumerate(map(shape, value))
                if one not in [*map(shape, value)][:index]
            ]
        else:
            found[field.name] = shape(value)
    return found


def plain(trial_of_a_client: Any) -> Any:
    """The plain message inside what a generated client answers."""
    return type(trial_of_a_client).pb(trial_of_a_client)
