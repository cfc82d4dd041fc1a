"""The fields of custom jobs."""

import dataclasses

from vertex_jobs import catalog
from vertex_jobs.emulator.resources.fields.records import Fate, Field, rows

#: What every kind of job is answered with.
RESOURCE_OUTPUT = {
    "name": "project number and a numeric id",
    "state": "the job's life",
    "create_time": "set at create",
    "start_time": "the first time RUNNING",
    "end_time": "set at the end",
    "update_time": "set at every change",
    "error": "set when FAILED or CANCELLED",
}
_DISK_GB = "{0.boot_disk_gb_min} to {0.boot_disk_gb_max}".format(catalog.load().limits)
_STANDARD = 3  # Scheduling.Strategy.STANDARD

JOB_FIELDS: list[Field] = [
    *rows(
        "CustomJob",
        acted={
            "display_name": "checked; filters find it",
            "job_spec": "what runs",
            "labels": "checked; filters find them",
        },
        stored={"encryption_spec": "a key of the customer's; nothing here is encrypted"},
        output={
            **RESOURCE_OUTPUT,
            "web_access_uris": "with enable_web_access; nothing answers at these addresses",
            "satisfies_pzs": "never set",
            "satisfies_pzi": "never set",
        },
    ),
    *rows(
        "CustomJobSpec",
        acted={
            "worker_pool_specs": "one process for each replica",
            "scheduling": "time limit and restarts",
            "base_output_directory": "sets AIP_MODEL_DIR, AIP_CHECKPOINT_DIR, "
            "AIP_TENSORBOARD_LOG_DIR",
        },
        stored={
            "persistent_resource_id": "held machines; there are none here",
            "service_account": "the identity of the replicas; here they are yours",
            "network": "peering; replicas use this machine's network",
            "reserved_ip_ranges": "peering; replicas use this machine's network",
            "psc_interface_config": "private connections; replicas use this machine's network",
            "protected_artifact_location_id": "where protected artifacts are kept",
            "tensorboard": "a managed TensorBoard; logs stay in AIP_TENSORBOARD_LOG_DIR",
            "enable_web_access": "a web shell; there is none behind the URIs",
            "enable_dashboard_access": "a dashboard; there is none",
            "experiment": "an experiment to log to; none is kept here",
            "experiment_run": "a run of an experiment; none is kept here",
        },
        refused={"models": "a mapping of models that Google's own jobs read"},
    ),
    *rows(
        "WorkerPoolSpec",
        acted={
            "container_spec": "SDK-made commands run as a package; others need images",
            "python_package_spec": "installed and run",
            "machine_spec": "checked",
            "replica_count": "as many processes",
            "disk_spec": "checked, filled in; replicas use this machine's disk",
        },
        refused={
            "nfs_mounts": "file servers; Local Vertex does not mount them",
            "lustre_mounts": "file servers; Local Vertex does not mount them",
        },
    ),
    *rows(
        "ContainerSpec",
        acted={
            "image_uri": "checked; says which environment stands for it",
            "command": "understood when the SDK made it",
            "args": "passed on; trials append to them",
            "env": "set, but where the service has a value of its own",
        },
    ),
    *rows("EnvVar", acted={"name": "set", "value": "set"}),
    *rows(
        "PythonPackageSpec",
        acted={
            "executor_image_uri": "checked; says which environment stands for it",
            "package_uris": "installed in order, requirements compared",
            "python_module": "run",
            "args": "passed on; trials append to them",
            "env": "set, but where the service has a value of its own",
        },
    ),
    *rows(
        "MachineSpec",
        acted={
            "machine_type": "checked against the table of machines",
            "accelerator_type": "checked against the table; retired ones warn",
            "accelerator_count": "checked; as many devices, real or logical",
        },
        stored={
            "gpu_partition_size": "parts of a GPU; the whole one is seen here",
            "tpu_topology": "TPUs; there are none here",
            "reservation_affinity": "reserved machines; there are none here",
        },
    ),
    *rows(
        "DiskSpec",
        acted={
            "boot_disk_type": "checked against the table of disks",
            "boot_disk_size_gb": f"checked: {_DISK_GB}",
        },
    ),
    *rows(
        "Scheduling",
        acted={
            "timeout": "ends the job; 7 days by default",
            "restart_job_on_worker_restart": "restarts every worker with one",
            "disable_retries": "no restart after a failure",
        },
        stored={
            "max_wait_duration": "how long to wait for machines; this one is there",
        },
    ),
    dataclasses.replace(
        Field(
            "Scheduling.strategy",
            Fate.STORED,
            "how machines are got; this one is there, and a drill takes it away",
            "Scheduling proto",
        ),
        default=_STANDARD,
    ),
    *rows("GcsDestination", acted={"output_uri_prefix": "checked to be a gs:// URI"}),
]
