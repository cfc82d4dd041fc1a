"""A study for TensorBoard's HParams page: event files that lie beside the trials' own logs.

For the verb ``tensorboard``. One file describes the study, and one file each finished trial: its
parameters, outcome and measurements. The protos are TensorBoard's own; neither TensorFlow nor a
file system is needed.

Source: tensorboard, plugins/hparams: api.proto and plugin_data.proto.
"""

import io
from collections.abc import Iterator
from typing import Any

from vertex_jobs.study.study import Study
from vertex_jobs.study.trial_records import Measurement, Trial
from vertex_jobs.timestamps import read_second

#: Prefixes of a metric's name, so that no tag equals one of the script's own.
_FINAL_PREFIX, _MEASUREMENT_PREFIX = "final/", "measurement/"
#: TensorBoard reads files whose names hold "tfevents"; equal names are written once.
_FILE_NAME = "events.out.tfevents.0000000000.vertex-jobs.hparams"


def hparams_files(study: Study) -> Iterator[tuple[str, bytes]]:
    """Yield paths below the study's base directory with their content, for finished trials only."""
    yield _FILE_NAME, _events([(0, 0.0, [_experiment(study)])])
    for trial in study.trials:
        if trial.finished:
            yield f"{trial.id}/logs/{_FILE_NAME}", _events(_of_trial(study, trial))


def _of_trial(study: Study, trial: Trial) -> Iterator[tuple[int, float, list[Any]]]:
    """Yield steps, times in seconds since 1970, and summary values."""
    times = (trial.start_time, trial.end_time)
    start, end = (read_second(time).timestamp() if time else 0.0 for time in times)
    yield 0, start, [_session_start(trial, start)]
    for measurement in trial.measurements:
        yield measurement.step, start, _scalars(_MEASUREMENT_PREFIX, measurement)
    names = {objective.metric_id for objective in study.objectives}
    metrics = {key: value for key, value in trial.metrics.items() if key in names}
    if metrics:
        step = trial.step or 0
        yield step, end, _scalars(_FINAL_PREFIX, Measurement(step, metrics))
    yield 0, end, [_session_end(trial, end)]


def _experiment(study: Study) -> Any:
    from tensorboard.plugins.hparams import api_pb2

    experiment = api_pb2.Experiment(name=study.display_name, description=study.name)
    for name in dict.fromkeys(one.id for one in study.space.parameters) if study.space else ():
        is_text = any(isinstance(one.parameters.get(name), str) for one in study.trials)
        kind = api_pb2.DATA_TYPE_STRING if is_text else api_pb2.DATA_TYPE_FLOAT64
        experiment.hparam_infos.add(name=name, type=kind)
    for objective in study.objectives:
        experiment.metric_infos.add(
            name=api_pb2.MetricName(tag=f"{_FINAL_PREFIX}{objective.metric_id}"),
            display_name=f"{objective.metric_id} ({objective.goal})",
        )
    return _plugin_value("_hparams_/experiment", experiment=experiment)


def _session_start(trial: Trial, start: float) -> Any:
    from tensorboard.plugins.hparams import plugin_data_pb2

    info = plugin_data_pb2.SessionStartInfo(
        group_name=f"trial {trial.id}", start_time_secs=start, model_uri=trial.model_dir or ""
    )
    for name, value in trial.parameters.items():
        if isinstance(value, str):
            info.hparams[name].string_value = value
        else:
            info.hparams[name].number_value = value
    return _plugin_value("_hparams_/session_start_info", session_start_info=info)


def _session_end(trial: Trial, end: float) -> Any:
    from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2

    is_success = trial.state == "SUCCEEDED"
    status = api_pb2.STATUS_SUCCESS if is_success else api_pb2.STATUS_FAILURE
    info = plugin_data_pb2.SessionEndInfo(status=status, end_time_secs=end)
    return _plugin_value("_hparams_/session_end_info", session_end_info=info)


def _plugin_value(tag: str, **content: Any) -> Any:
    """Return a summary value that the page reads and that holds no number."""
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
    from tensorboard.compat.proto.types_pb2 import DT_FLOAT
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    data = HParamsPluginData(version=0, **content)
    metadata = SummaryMetadata(
        plugin_data=SummaryMetadata.PluginData(
            plugin_name="hparams", content=data.SerializeToString()
        )
    )
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=0)])
    empty = TensorProto(dtype=DT_FLOAT, tensor_shape=shape)
    return Summary.Value(tag=tag, metadata=metadata, tensor=empty)


def _scalars(prefix: str, measurement: Measurement) -> list[Any]:
    from tensorboard.compat.proto.summary_pb2 import Summary

    return [
        Summary.Value(tag=f"{prefix}{name}", simple_value=value)
        for name, value in measurement.metrics.items()
    ]


def _events(rows: Any) -> bytes:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    file = io.BytesIO()
    writer = RecordWriter(file)
    writer.write(Event(file_version="brain.Event:2").SerializeToString())
    for step, time, values in rows:
        event = Event(step=step, wall_time=time, summary=Summary(value=values))
        writer.write(event.SerializeToString())
    return file.getvalue()
