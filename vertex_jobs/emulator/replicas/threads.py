"""How many threads TensorFlow may use in replicas that share this machine's cores.

On Vertex AI each replica has a machine of its own; here two that each take every core only wait
for each other. What a job's ``env`` or the script itself sets wins.
"""

import os

__all__ = ["thread_variables"]

#: Of the threads within an operation alone: operations that wait for another process each hold a
#: thread of the other pool, and one too few of these is a deadlock.
_NAME = "TF_NUM_INTRAOP_THREADS"


def thread_variables(processes: int) -> dict[str, str]:
    """The variable for one of some replicas that run at once; none for a single one."""
    if processes == 1:
        return {}
    cores = len(os.sched_getaffinity(0))
    return {_NAME: str(max(1, cores // processes))}
