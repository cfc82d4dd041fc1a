"""Known causes of refusals and failures, and what to do about each.

For error messages alone; nothing decides by these texts. A cause that is not in the table gets no
remedy rather than a guess.

Source: troubleshooting and understanding-training-service pages of the training documentation.
"""

import re

__all__ = ["remedy_for"]

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
        "Choose a machine type that the location has, or another location.",
    ),
    (
        r"Accelerator .* is not supported for machine type",
        "Choose an accelerator, count and machine type that fit each other.",
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
        "its flags with the job's args and parameter ids: vertex-jobs show.",
    ),
    (
        r"non-zero status",
        "The training code failed: read its output with vertex-jobs logs.",
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
        r"bucket does not exist",
        "Create the bucket in the job's location: gcloud storage buckets create gs://BUCKET "
        "--location=LOCATION.",
    ),
)
_BY_CODE = {
    401: "Sign in with: gcloud auth application-default login.",
    403: "Your account lacks a permission that the message names: ask for a role that has it "
    "(roles/aiplatform.user for jobs, roles/storage.objectAdmin for the staging bucket).",
    429: "Too many requests or too little quota: wait, or ask for more quota.",
}


def remedy_for(message: str, code: int = 0) -> str:
    """What to do about that message, a sentence or two; empty when the cause is not known.

    Args:
        message: The service's own text.
        code: HTTP status, which speaks only where the text does not.
    """
    for pattern, remedy in _BY_MESSAGE:
        if re.search(pattern, message, re.IGNORECASE):
            return remedy
    return _BY_CODE.get(code, "")
