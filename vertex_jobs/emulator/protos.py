"""The API's own messages, as plain protobuf classes.

For everything in the emulator that reads or builds a resource. The SDK wraps its messages in
proto-plus, which costs a Python object per access; the classes below are the messages inside.
Importing this module costs a quarter of a second, so only the server's processes do.
"""

from typing import Any

from google.iam.v1 import policy_pb2
from google.longrunning import operations_pb2
from google.protobuf import empty_pb2, json_format, struct_pb2

from vertex_jobs.generated_api import message_types

types = message_types()
Message = Any  # protobuf's generated classes carry no type information

CustomJob: Message = types.CustomJob.pb()
CustomJobSpec: Message = types.CustomJobSpec.pb()
HyperparameterTuningJob: Message = types.HyperparameterTuningJob.pb()
TrainingPipeline: Message = types.TrainingPipeline.pb()
Model: Message = types.Model.pb()
Dataset: Message = types.Dataset.pb()
Tensorboard: Message = types.Tensorboard.pb()
TensorboardExperiment: Message = types.TensorboardExperiment.pb()
Study: Message = types.Study.pb()
StudySpec: Message = types.StudySpec.pb()
Trial: Message = types.Trial.pb()
Measurement: Message = types.Measurement.pb()
Operation: Message = operations_pb2.Operation
Policy: Message = policy_pb2.Policy
Empty: Message = empty_pb2.Empty
Value: Message = struct_pb2.Value

AcceleratorType = types.AcceleratorType
JobState = types.JobState
PipelineState = types.PipelineState
TrialState = types.Trial.State
StudyState = types.Study.State


def message_class(name: str) -> Message:
    """Return the plain class of one v1 message, e.g. ``ListCustomJobsRequest``."""
    return getattr(types, name).pb()


def to_json(message: Message, *, integers_for_enums: bool = False) -> dict[str, Any]:
    """Return the message in the API's JSON form: camelCase keys, defaults absent."""
    form: dict[str, Any] = json_format.MessageToDict(
        message, use_integers_for_enums=integers_for_enums
    )
    return form


def from_json(form: Any, message: Message) -> Message:
    """Fill the message from its JSON form; both spellings of a key are understood.

    Raises:
        google.protobuf.json_format.ParseError: If a field is unknown or of the wrong type.
    """
    return json_format.ParseDict(form, message)
