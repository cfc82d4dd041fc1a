"""What the client and Local Vertex exchange beside the API; Google ignores it."""

#: Settings of one created job that Vertex AI does not have, as a JSON object.
OPTIONS_HEADER = "x-vertex-jobs-options"
#: Of a read: the ``updateTime`` last seen. Local Vertex holds its answer until the resource has
#: changed, for 2 s at most.
WAIT_HEADER = "x-vertex-jobs-wait"
#: Of an answer with log entries: sent back in ``WAIT_HEADER``, it has the next such request held
#: until one of the jobs has a new line.
POSITION_HEADER = "x-vertex-jobs-position"

#: Domain of the google.rpc.ErrorInfo in an INTERNAL answer that is a fault of Local Vertex's own.
FAULT_DOMAIN = "local.vertex-jobs"
#: The ``effect`` in its metadata where the failed request has changed nothing.
NOTHING_CHANGED = "none"
