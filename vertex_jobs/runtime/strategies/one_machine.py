"""The strategies of one machine, each built from the names of its devices.

For ``strategies.strategy()``, which chooses among them and splits the devices.
"""

from typing import Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.runtime.strategies.choices import check_choice


def default(_: list[str]) -> Any:
    """Return TensorFlow's own placement: one replica, no distribution."""
    import tensorflow as tf

    return tf.distribute.get_strategy()


def one_device(devices: list[str]) -> Any:
    """Return the strategy that puts everything on the first device."""
    import tensorflow as tf

    return tf.distribute.OneDeviceStrategy(devices[0])


def mirrored(devices: list[str], cross_device_ops: str = "auto") -> Any:
    """Return the strategy with a copy of the variables on each device.

    Gradients are added up across the devices at every step.

    Args:
        devices: One replica each.
        cross_device_ops: ``auto`` leaves the choice to TensorFlow; ``nccl`` needs NVIDIA GPUs,
            ``hierarchical`` suits GPUs that are linked in groups, ``reduction_to_one`` adds up on
            one device.

    Raises:
        ValueError: If there is no way of reducing of that name.
        UnsupportedHereError: If NCCL is asked for without a GPU.
    """
    import tensorflow as tf

    reductions = {
        "auto": lambda: None,
        "nccl": tf.distribute.NcclAllReduce,
        "hierarchical": tf.distribute.HierarchicalCopyAllReduce,
        "reduction_to_one": tf.distribute.ReductionToOneDevice,
    }
    check_choice("cross_device_ops", cross_device_ops, reductions)
    # TensorFlow would build it and fail at the first step, with a sentence about kernels.
    if cross_device_ops == "nccl" and not all(device.startswith("GPU") for device in devices):
        raise UnsupportedHereError(
            "cross_device_ops is nccl, which adds up gradients between NVIDIA GPUs, and there is "
            "no GPU here; use auto, hierarchical or reduction_to_one, or a machine with GPUs"
        )
    return tf.distribute.MirroredStrategy(devices, reductions[cross_device_ops]())


def central_storage(devices: list[str], parameter_device: str) -> Any:
    """Return the strategy with one copy of the variables, on one device.

    At every step the variables move to every device, each device computes on its part of a batch,
    and the gradients move back. It needs less memory for more traffic.
    """
    import tensorflow as tf

    return tf.distribute.experimental.CentralStorageStrategy(devices, parameter_device)


def tpu() -> Any:
    """Return the strategy with a replica on each core of the TPU attached to this machine.

    Raises:
        UnsupportedHereError: If there is no TPU, or TensorFlow was built without it.

    Source: TensorFlow guide "Use TPUs"; ``local`` is the name of a TPU VM's own.
    """
    import tensorflow as tf

    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="local")
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (ValueError, tf.errors.OpError) as error:
        raise UnsupportedHereError(
            "the strategy is tpu and there is no TPU here; run the job on a TPU machine of "
            "Vertex AI, e.g. machine_type cloud-tpu, or take another strategy"
        ) from error
    return tf.distribute.TPUStrategy(resolver)
