"""Known causes of refusals and failures, and what to do about each.

For error messages alone; nothing decides by these texts. A cause that is not in the table gets no
remedy rather than a guess.

Source: troubleshooting and understanding-training-service pages of the training documentation.
"""

import re
from collections.abc import Sequence

#: Pattern in the service's message, and the remedy. The first that fits counts.
_BY_MESSAGE = (
    (
        r"quota metrics? exceed|exceed(s|ed)? quota|quota exceeded",
        "Quota is short: ask for more of the metric named above in the console's quota page, "
        "use a smaller machine, fewer replicas or parallel trials, or another location.",
    ),
    (
        r"Resources are insufficient|stockout",
        "The location has run out of this hardware: try another location (fallback), another "
        "accelerator, or a later time.",
    ),
    (
        r"iam\.serviceAccounts\.getAccessToken|impersonated credentials",
        "Give yourself the role roles/iam.serviceAccountTokenCreator on the account that you "
        "impersonate, or correct its name.",
    ),
    (
        r"requires a quota project|serviceusage\.services\.use|USER_PROJECT_DENIED",
        "Name a quota project that you may use (--quota-project, role "
        "roles/serviceusage.serviceUsageConsumer there): gcloud auth application-default "
        "set-quota-project PROJECT.",
    ),
    (
        r"permission to act as service_account",
        "Give yourself the role roles/iam.serviceAccountUser on that service account, or correct "
        "its name.",
    ),
    (
        r"Machine type .* is not supported",
        "Choose a machine type that the location has, or another location: vertex-jobs machines.",
    ),
    (
        r"Accelerator .* is not supported for machine type",
        "Choose an accelerator, count and machine type that fit each other: vertex-jobs machines.",
    ),
    (
        r"Invalid image URI|image .*(not found|cannot be pulled|pull)",
        "Name an image in Artifact Registry or on Docker Hub that the job's service agent may "
        "read.",
    ),
    (
        r"ran out of memory|low on memory|status of 137",
        "Choose a machine type with more memory, or a smaller batch. On small machines up to 40 % "
        "of the memory is taken by system agents.",
    ),
    (
        r"non-zero status of (134|139)",
        "The process aborted or crashed outside Python: look for a native library that does not "
        "fit this machine's CPU or driver.",
    ),
    (
        r"non-zero status of 2\b",
        "Exit status 2 is argparse's: the script was given a flag that it does not know. Compare "
        "its flags with the job's args and parameter ids: vertex-jobs check.",
    ),
    (
        r"There are no files under .* to copy",
        "The job has no model to upload: let the script write one to AIP_MODEL_DIR.",
    ),
    (
        r"Internal error occurred for the current attempt",
        "The service failed, not the job: run it again.",
    ),
    (
        r"ran longer than its timeout|timed out after|exceeded .*timeout",
        "Give the job a longer timeout, or let it save checkpoints in AIP_CHECKPOINT_DIR and go on "
        "from the last one.",
    ),
    (
        r"preempt|machine was lost|spot (VM|machine)s? .*(reclaim|lost)",
        "Its machine was taken away: save checkpoints in AIP_CHECKPOINT_DIR and go on from the "
        "last one (rehearse it: run --drill preempt), or use scheduling_strategy: standard.",
    ),
    (
        r"without a complete measurement.*(not a number|infinite).*first at step",
        "The metric was reported under its name, but is not finite: look at the loss from that "
        "step on, and lower the learning rate, clip the gradients or narrow the parameter's range; "
        "report while it is finite, since the trial counts with its earlier measurements.",
    ),
    (
        r"without a complete measurement",
        "Report the metric under the name that metric_spec has, before anything that may fail: "
        "vertex_jobs.runtime.metrics.report, or cloudml-hypertune.",
    ),
    (
        r"bucket does not exist",
        "Create the bucket in the job's location: gcloud storage buckets create gs://BUCKET "
        "--location=LOCATION.",
    ),
)
#: Pattern in a program's own last lines, and the remedy: what Python, TensorFlow, pip and the
#: kernel print for it. Looked at where the service's message says no more than that it failed.
_BY_OUTPUT = (
    (
        r"(ModuleNotFoundError|ImportError): No module named",
        "The package does not bring that module: add its distribution to requirements, or keep "
        "the file beside the script. vertex-jobs package proves a package.",
    ),
    (
        r"No space left on device|Disk quota exceeded",
        "The boot disk is full: raise boot_disk_size_gb, or write to gs:// instead.",
    ),
    (
        r"OOM when allocating tensor|CUDA_ERROR_OUT_OF_MEMORY|RESOURCE_EXHAUSTED: Out of memory",
        "The accelerator's memory is full: use a smaller batch or model, mixed precision, or an "
        "accelerator with more memory.",
    ),
    (
        r"^\S*MemoryError|bad_alloc|Cannot allocate memory|Replicas low on memory",
        "Choose a machine type with more memory, or a smaller batch.",
    ),
    (
        r"unrecognized arguments|the following arguments are required|invalid \w+ value",
        "The script was given a flag that it does not take: compare its flags with the job's args "
        "and parameter ids: vertex-jobs check.",
    ),
    (
        r"(403|AccessDenied|PERMISSION_DENIED).*(storage|bucket|object)|does not have storage\.",
        "Give the job's service account roles/storage.objectAdmin on that bucket.",
    ),
    (
        r"No matching distribution found|Could not find a version that satisfies",
        "A requirement has no release for the image's Python (3.10 in the newest prebuilt images): "
        "loosen its version, or use a custom container.",
    ),
    (
        r"SIGTERM|signal 15",
        "It was told to end from outside: by a preemption, its timeout, or the job's own end.",
    ),
)
#: Where nothing more is known.
_GENERAL = (
    (
        r"non-zero status",
        "The training code failed: read its output with {log}.",
    ),
)
_BY_CODE = {
    401: "Sign in with: gcloud auth application-default login.",
    403: "Your account lacks a permission that the message names: ask for a role that has it "
    "(roles/aiplatform.user for jobs, roles/storage.objectAdmin for the staging bucket).",
    429: "Too many requests or too little quota: wait, or ask for more quota.",
}


def remedy_for(
    message: str, code: int = 0, output: Sequence[str] = (), log: str = "vertex-jobs logs JOB"
) -> str:
    """Return what to do about a message, in a sentence or two; empty for an unknown cause.

    Args:
        message: The service's own text.
        code: HTTP status, which speaks only where no text does.
        output: The program's last lines, of which the last that says something counts.
        log: The command that shows its whole output.
    """
    found = _first(_BY_MESSAGE, message)
    found = found or next(filter(None, (_first(_BY_OUTPUT, line) for line in output[::-1])), "")
    found = found or _first(_GENERAL, message) or _BY_CODE.get(code, "")
    return found.replace("{log}", log)


def _first(table: Sequence[tuple[str, str]], text: str) -> str:
    matching = (remedy for pattern, remedy in table if re.search(pattern, text, re.IGNORECASE))
    return next(matching, "")
