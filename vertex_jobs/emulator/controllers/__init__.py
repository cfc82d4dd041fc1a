"""Drive each job to its end: start replicas, follow metrics, ask the search, write the outcome.

A controller holds nothing that the store does not: after a crash the same code, started on the
same rows, goes on where the job stood.
"""
