"""The strategies of one machine, each built from the names of its devices.

For ``strategies.strategy()``, which chooses among them. They split no device and read no
environment.
"""

from typing import Any

from vertex_jobs.errors import UnsupportedHereError

__all__ = ["central_storage", "default", "mirrored", "one_device", "tpu"]


def default(_: list[str]) -> Any:
    """TensorFlow's own placement: one replica, no distribution."""
    import tensorflow as tf

    return tf.distribute.get_strategy()


def one_device(devices: list[str]) -> Any:
    """Everything on the first device."""
    import tensorflow as tf

    return tf.distribute.OneDeviceStrategy(devices[0])


def mirrored(devices: list[str], cross_device_ops: str = "auto") -> Any:
    """A copy of the variables on each device; gradients are added up across them at every step.

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
    if cross_device_ops not in reductions:
        known = ", ".join(reductions)
        raise ValueError(f"no cross_device_ops is called {cross_device_ops!r}; use {known}")
    # TensorFlow would build it and fail at the first step, with a sentence about kernels.
    if cross_device_ops == "nccl" and not all(device.startswith("GPU") for device in devices):
        raise UnsupportedHereError(
            "cross_device_ops is nccl, which adds up gradients between NVIDIA GPUs, and there is "
            "no GPU here; use auto, hierarchical or reduction_to_one, or a machine with GPUs"
        )
    return tf.distribute.MirroredStrategy(devices, reductions[cross_device_ops]())


def central_storage(devices: list[str], parameter_device: str) -> Any:
    """One copy of the variables on one device; each of the others computes on its part of a batch.

    The variables move to every device and the gradients back at every step, in return for memory.
    """
    import tensorflow as tf

    return tf.distribute.experimental.CentralStorageStrategy(devices, parameter_device)


def tpu() -> Any:
    """A replica on each core of the TPU that is attached to this machine.

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
