"""The registry of training systems: what each is, how it is run, and what must hold afterwards.

For ``test_systems`` and ``make systems``, which run every row, and for the page that lists them.
A new system is one more row here, and its check in the module of its kind.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cluster_checks
import digits_checks
import ensemble_checks
import layout_checks
import mirrored_checks
import pipeline_checks
from finished import Finished, run

from vertex_jobs.endpoints import Endpoint

__all__ = ["SYSTEMS", "System"]

#: Asserts what must hold, and answers the final metric as text. The first paragraph of its
#: docstring is the assertion as the page tells it.
Check = Callable[[Finished], str]

# The public articles that the systems come from, by title.
BERT = "Data parallel training with KerasHub and tf.distribute (Keras examples)"
BOOK = "Hands-on machine learning with scikit-learn, Keras and TensorFlow, 3rd edition, chapter 19"
LOOP = "Parallel training on several GPUs with TensorFlow 2.x (a custom loop for a transformer)"
TUTORIAL = "Distributed training with Keras (TensorFlow tutorials)"
DTENSOR = "Using DTensors with Keras (TensorFlow tutorials)"


@dataclass(frozen=True)
class System:
    """One row.

    Attributes:
        number: ``S01``, ``S02``, ..., without a gap.
        title: What is trained how, a few words.
        article: Title of the article that it comes from.
        script: File in ``trial_scripts``.
        config: File in ``configs``.
        check: What must hold.
        arguments: More for ``vertex-jobs run``, e.g. ``("--set", "accelerator_count=4")``.
        prepare: Makes what the run needs, and answers yet more arguments, which name it.
    """

    number: str
    title: str
    article: str
    script: str
    config: str
    check: Check
    arguments: tuple[str, ...] = ()
    prepare: Callable[[Endpoint], tuple[str, ...]] | None = None

    def run(self, endpoint: Endpoint) -> Finished:
        """Run it to its end."""
        prepared = self.prepare(endpoint) if self.prepare else ()
        return run(endpoint, self.config, self.arguments + prepared)

    @property
    def command(self) -> str:
        """As a person types it."""
        return " ".join(["vertex-jobs run", f"configs/{self.config}", *self.arguments])

    @property
    def assertion(self) -> str:
        """What must hold, in words."""
        return " ".join((self.check.__doc__ or "").split("\n\n")[0].split())


SYSTEMS = (
    System(
        "S01",
        "Two GPUs mirror one model, trained with fit",
        TUTORIAL,
        "mirrored_fit.py",
        "mirrored_fit.yaml",
        mirrored_checks.mirrored,
    ),
    System(
        "S02",
        "The same with four, reduced to one device",
        BOOK,
        "mirrored_fit.py",
        "mirrored_fit.yaml",
        mirrored_checks.mirrored,
        (
            *("--set", "accelerator_count=4", "--set", "args.devices=4"),
            *("--set", "args.cross_device_ops=reduction_to_one"),
        ),
    ),
    System(
        "S03",
        "Two GPUs mirror a transformer, with a loop of its own",
        LOOP,
        "mirrored_transformer.py",
        "mirrored_transformer.yaml",
        mirrored_checks.transformer,
    ),
    System(
        "S04",
        "One GPU split in two trains a BERT with KerasHub",
        BERT,
        "bert_mlm.py",
        "bert_mlm.yaml",
        mirrored_checks.bert,
    ),
    System(
        "S05",
        "Central storage beside mirroring",
        BOOK,
        "central_storage.py",
        "central_storage.yaml",
        mirrored_checks.central_storage,
    ),
    System(
        "S06",
        "Two machines train one model with fit",
        BOOK,
        "multiworker_fit.py",
        "multiworker_fit.yaml",
        cluster_checks.multiworker,
    ),
    System(
        "S07",
        "The same with a third, over gRPC's ring",
        BOOK,
        "multiworker_fit.py",
        "multiworker_fit.yaml",
        cluster_checks.multiworker,
        ("--set", "replica_count=3", "--set", "args.communication=ring"),
    ),
    System(
        "S08",
        "A table on two parameter servers, evaluated on the side",
        BOOK,
        "parameter_server.py",
        "parameter_server.yaml",
        cluster_checks.parameter_server,
    ),
    System(
        "S09",
        "The same on a TPU, which is not here",
        BOOK,
        "mirrored_fit.py",
        "mirrored_fit_tpu.yaml",
        mirrored_checks.no_tpu,
    ),
    System(
        "S10",
        "DTensor with Keras, layouts in four ways",
        DTENSOR,
        "dtensor_layouts.py",
        "dtensor_layouts.yaml",
        layout_checks.dtensor,
    ),
    System(
        "S11",
        "keras.distribution, model parallel",
        DTENSOR,
        "keras_distribution.py",
        "keras_distribution.yaml",
        layout_checks.model_parallel,
    ),
    System(
        "S12",
        "keras.distribution, data parallel",
        DTENSOR,
        "keras_distribution.py",
        "keras_distribution.yaml",
        layout_checks.data_parallel,
        ("--set", "args.mesh_model=1"),
    ),
    System(
        "S13",
        "One training job, its model uploaded",
        BOOK,
        "digits_mlp.py",
        "digits_training.yaml",
        digits_checks.training,
    ),
    System(
        "S14",
        "A study of a hyperparameter script",
        BOOK,
        "digits_mlp.py",
        "digits_search.yaml",
        digits_checks.search,
    ),
    System(
        "S15",
        "Keras Tuner over a chief and two workers",
        BOOK,
        "keras_tuner_search.py",
        "keras_tuner_search.yaml",
        cluster_checks.keras_tuner,
    ),
    System(
        "S16",
        "TFRecords in shards on gs://, mixed precision",
        BOOK,
        "tfrecord_pipeline.py",
        "tfrecord_pipeline.yaml",
        pipeline_checks.own_shards,
    ),
    System(
        "S17",
        "The same from a managed dataset",
        BOOK,
        "tfrecord_pipeline.py",
        "tfrecord_pipeline.yaml",
        pipeline_checks.from_dataset,
        prepare=pipeline_checks.make_dataset,
    ),
    System(
        "S18",
        "Several models side by side, a GPU each",
        BOOK,
        "digits_mlp.py",
        "ensemble_members.yaml",
        ensemble_checks.members,
    ),
    System(
        "S19",
        "An ensemble of the best of them",
        BOOK,
        "ensemble.py",
        "ensemble.yaml",
        ensemble_checks.ensemble,
        prepare=ensemble_checks.name_study,
    ),
    System(
        "S20",
        "Two towers, each on a GPU of its own",
        BOOK,
        "two_towers.py",
        "two_towers.yaml",
        mirrored_checks.two_towers,
    ),
)
