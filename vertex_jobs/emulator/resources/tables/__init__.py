"""The durable tables beside the jobs: models, operations, projects and IAM policies.

Each module is one table of the ``database`` behind a small class; rules of the API are elsewhere.
"""
