"""Small configs that tests of the preflight start from."""

from datetime import date

CUSTOM = {"kind": "custom_job", "display_name": "x", "container_uri": "docker.io/me/x"}
STUDY = {
    **CUSTOM,
    "kind": "hyperparameter_tuning_job",
    "metric_spec": {"accuracy": "maximize"},
    "parameter_spec": {"units": {"type": "integer", "min": 1, "max": 4}},
    "max_trial_count": 4,
    "parallel_trial_count": 1,
}
#: Nothing in it is a mistake on Vertex AI.
SOUND = {"timeout": 3600, "staging_bucket": "gs://my-bucket"}
TODAY = date(2026, 7, 1)  # when one of the listed images still got fixes
