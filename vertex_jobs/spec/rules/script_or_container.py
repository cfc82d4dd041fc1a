"""Rules on what runs: script or container, arguments and environment variables.

For the table in ``rules``. ``loading`` asks whether the script exists, ``preflight`` whether it
accepts the arguments.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vertex_jobs import catalog
from vertex_jobs.errors import Fault
from vertex_jobs.names import is_gcs_uri
from vertex_jobs.spec.argument_forms import tokens
from vertex_jobs.spec.pools import ROLES, WorkerPools

_LIMITS = catalog.load().limits
#: Set by the service in every replica. Those that lead to a managed dataset are free in a job
#: without one. Source: documentation page "Code requirements".
_SERVICE_VARIABLES = re.compile(
    r"AIP_(MODEL|CHECKPOINT|TENSORBOARD_LOG)_DIR|CLOUD_ML_.*|TF_CONFIG|CLUSTER_SPEC"
)
_FLAG = re.compile(r"[^\s=-][^\s=]*")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def _something_runs(
    script_path: str | None,
    python_package_gcs_uri: tuple[str, ...],
    container_uri: str | None,
    worker_pools: WorkerPools | None,
) -> Iterator[Fault]:
    if script_path is not None or python_package_gcs_uri or container_uri is not None:
        return
    pools = {role: getattr(worker_pools, role, None) for role in ROLES}
    programs = {
        role: pool.container_uri or pool.python_package_gcs_uri
        for role, pool in pools.items()
        if pool is not None
    }
    if not any(programs.values()):
        rule = "is required in a job without container_uri"
        yield Fault("script_path", None, rule, "add script_path")
        return
    for role, program in programs.items():
        if not program:
            path = f"worker_pools.{role}.container_uri"
            rule = "is required in a job without script_path"
            yield Fault(path, None, rule, "add it, or container_uri for the whole job")


def _script_or_command(script_path: str | None, command: tuple[str, ...]) -> Iterator[Fault]:
    if script_path is not None and command:
        yield Fault(
            "command",
            list(command),
            "replaces the program of the image, and so does script_path",
            "remove command or script_path",
        )


def _one_program(
    script_path: str | None, command: tuple[str, ...], python_package_gcs_uri: tuple[str, ...]
) -> Iterator[Fault]:
    other = "script_path" if script_path is not None else "command" if command else None
    if python_package_gcs_uri and other is not None:
        yield Fault(
            "python_package_gcs_uri",
            list(python_package_gcs_uri),
            f"is what runs, and so is {other}",
            f"remove {other} or python_package_gcs_uri",
        )


def _packages(
    python_package_gcs_uri: tuple[str, ...],
    python_module_name: str | None,
    worker_pools: WorkerPools | None,
) -> Iterator[Fault]:
    yield from _package_faults("", python_package_gcs_uri, python_module_name)
    for role in ROLES:
        pool = getattr(worker_pools, role, None)
        if pool is not None:
            module = pool.python_module_name or python_module_name
            uris = pool.python_package_gcs_uri
            yield from _package_faults(f"worker_pools.{role}.", uris, module)


def _package_faults(prefix: str, uris: Sequence[str], module: str | None) -> Iterator[Fault]:
    path = f"{prefix}python_package_gcs_uri"
    if not uris:
        return
    if len(uris) > _LIMITS.package_uris_max:
        rule = f"has at most {_LIMITS.package_uris_max} packages"
        yield Fault(path, len(uris), rule, "remove some")
    for number, uri in enumerate(uris):
        if not is_gcs_uri(uri):
            rule, remedy = "must be a Cloud Storage URI", "write gs://BUCKET/PACKAGE.tar.gz"
            yield Fault(f"{path}.{number}", uri, rule, remedy)
    if module is None:
        rule, remedy = "is required with python_package_gcs_uri", "add it, e.g. trainer.task"
        yield Fault(f"{prefix}python_module_name", None, rule, remedy)


def _module_of_a_package(
    script_path: str | None,
    python_module_name: str | None,
    python_package_gcs_uri: tuple[str, ...],
    worker_pools: WorkerPools | None,
) -> Iterator[Fault]:
    if python_module_name is None:
        return
    path = "python_module_name"
    pools = [getattr(worker_pools, role, None) for role in ROLES]
    of_pool = any(pool is not None and pool.python_package_gcs_uri for pool in pools)
    if script_path is None and not python_package_gcs_uri and not of_pool:
        yield Fault(path, python_module_name, "is a module of script_path", "add script_path")
    elif script_path is not None and script_path.endswith((".py", ".ipynb")):
        rule = "is for a package directory, and script_path is a file"
        yield Fault(path, python_module_name, rule, "remove it")
    if not _MODULE.fullmatch(python_module_name):
        remedy = "write a dotted name, for example trainer.task"
        yield Fault(path, python_module_name, "must be a module's name", remedy)


def _requirements_need_script(
    requirements: tuple[str, ...], script_path: str | None
) -> Iterator[Fault]:
    if requirements and script_path is None:
        yield Fault(
            "requirements",
            list(requirements),
            "are installed with the script's package, and there is no script",
            "install them in the image, or add script_path",
        )


def _files_need_script(
    data_files: tuple[str, ...], exclude_files: tuple[str, ...], script_path: str | None
) -> Iterator[Fault]:
    if script_path is not None:
        return
    for path, patterns in (("data_files", data_files), ("exclude_files", exclude_files)):
        if patterns:
            rule = "speaks of the script's package, and there is no script"
            yield Fault(path, list(patterns), rule, "copy them into the image, or add script_path")


def _arguments(args: Any) -> Iterator[Fault]:
    yield from _argument_faults("args", args)


def _variables(environment_variables: Mapping[str, str]) -> Iterator[Fault]:
    yield from _variable_faults("environment_variables", environment_variables)


def _pool_programs(worker_pools: WorkerPools | None) -> Iterator[Fault]:
    for role in ROLES:
        pool = getattr(worker_pools, role, None)
        if pool is not None and pool.args is not None:
            yield from _argument_faults(f"worker_pools.{role}.args", pool.args)
        if pool is not None and pool.environment_variables is not None:
            path = f"worker_pools.{role}.environment_variables"
            yield from _variable_faults(path, pool.environment_variables)


def _argument_faults(field: str, args: Mapping[str, Any] | Sequence[Any]) -> Iterator[Fault]:
    for key in args if isinstance(args, Mapping) else ():
        if not _FLAG.fullmatch(key):
            remedy = f"write {key.strip().lstrip('-').partition('=')[0]}: value"
            yield Fault(f"{field}.{key}", key, "must be a flag's name without dashes", remedy)
    length = sum(map(len, tokens(args)))
    most = _LIMITS.args_total_chars_max
    if length > most:
        rule = f"all arguments together have at most {most} characters"
        yield Fault(field, f"{length} characters", rule, "pass the data in a file in gs://")


def _variable_faults(field: str, variables: Mapping[str, str]) -> Iterator[Fault]:
    if len(variables) > _LIMITS.env_vars_max:
        rule = f"a pool has at most {_LIMITS.env_vars_max} environment variables"
        yield Fault(field, len(variables), rule, "pass them in a file in gs://")
    for name, value in variables.items():
        if _SERVICE_VARIABLES.fullmatch(name):
            rule = "is set by Vertex AI in every replica"
            yield Fault(f"{field}.{name}", value, rule, "choose another name")
        if "=" in name or any(letter.isspace() for letter in name):
            rule = "a variable's name has no = and no white space"
            yield Fault(f"{field}.{name}", name, rule, "choose another name")


PROGRAM_RULES = (
    _something_runs,
    _script_or_command,
    _one_program,
    _packages,
    _module_of_a_package,
    _requirements_need_script,
    _files_need_script,
    _arguments,
    _variables,
    _pool_programs,
)
