"""What was typed, with types: one namespace for all verbs.

For the verbs' modules. A verb has the attributes of its own options only; ``verbs`` says which.
"""

import argparse
from pathlib import Path

__all__ = ["Options"]


class Options(argparse.Namespace):
    """The arguments of one command; those that say where to have values with every verb.

    Attributes:
        verb: What to do.
        handler: ``module:function`` that does it.
        on: ``local`` or ``vertex``.
        state_dir: Of Local Vertex and of the journal; None for the default.
        project: None for the endpoint's default, like the next two.
        location: Region.
        staging_bucket: ``gs://…``.
        api_endpoint: Host of the Vertex AI API; None for the location's own.
        impersonate_service_account: E-mail of an account to act as.
        quota_project: Charged for the calls' quota; None for the credentials' own.
        config: Path of a job's YAML.
        optional_config: The same, of a verb that can do without.
        diff: Job to compare a config with; None for none.
        schema: Show the schema of configs instead of one.
        overlays: More configs, laid over the first.
        overrides: ``path=value`` each.
        seed: Of the search on Local Vertex.
        warm_start: Studies, or files of exported trials, from which the search learns.
        fresh: Whether every replica starts as a fresh process.
        environment: Where the job's code runs on Local Vertex; None for the config's choice.
        detach: Return when the job exists.
        once: Come back to the job of the same content.
        drill: Name of the drill under which the job is rehearsed; None for none.
        debug: Run one replica in this terminal instead of submitting a job.
        dry_run: Show what would be sent, and send nothing.
        yes: Do not ask.
        job: Id, resource name or display name.
        filter_text: In the API's filter language.
        format: How results are printed.
        follow: Go on until the job has ended.
        replica: E.g. ``workerpool0-0``; empty for all.
        trial: Id of the trial that is meant; None for the best.
        register: Put the trial's model into the registry.
        serving_image: Of the registered model; None for the default.
        retrain: Print the config of a training with the trial's arguments.
        go_on: The same, from the trial's model.
        download: Where to put the best trial's model; None to leave it.
        output: Where to put what is written; None for the verb's own choice.
        runtime_only: Write the wheel of the runtime instead.
        name: Of what is scaffolded.
        kind: Of the scaffolded job.
        port: Of TensorBoard; 0 for any that is free.
        print_env: Print the environment instead of serving.
        settings: File with the settings of unmodified programs' jobs; None for none.
        strict: Answer unmodified clients as the service does.
        dry_trial: Run one trial to see what it reports.
        gpu: Accelerator that machines must have; empty for any.
        machine: What a machine's name starts with.
        tpu: Only machines with TPUs.
        command: To run against Local Vertex; empty to serve.
    """

    verb: str
    handler: str
    on: str
    state_dir: Path | None = None
    project: str | None = None
    location: str | None = None
    staging_bucket: str | None = None
    api_endpoint: str | None = None
    impersonate_service_account: str | None = None
    quota_project: str | None = None
    config: Path
    optional_config: Path | None
    diff: str | None
    schema: bool
    overlays: list[Path]
    overrides: list[str]
    seed: int | None
    warm_start: list[str]
    fresh: bool
    environment: str | None
    detach: bool
    once: bool
    drill: str | None
    debug: bool
    dry_run: bool
    yes: bool
    job: str
    filter_text: str
    format: str
    follow: bool
    replica: str
    trial: str | None
    register: bool
    serving_image: str | None
    retrain: bool
    go_on: bool
    download: Path | None
    output: Path
    runtime_only: bool
    name: str
    kind: str
    port: int
    print_env: bool
    settings: Path | None
    strict: bool
    dry_trial: bool
    gpu: str
    machine: str
    tpu: bool
    command: list[str]
