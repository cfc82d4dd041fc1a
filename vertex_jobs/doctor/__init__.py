"""Findings before the first job: what this machine emulates, whether the cloud is ready.

For the verb ``doctor``. It looks and asks; it changes nothing, neither here nor there. What it
could not find out it calls unknown.
"""

from vertex_jobs.doctor.cloud import cloud_findings, signed_out_findings
from vertex_jobs.doctor.findings import Finding, Verdict
from vertex_jobs.doctor.machine import machine_findings

__all__ = ["Finding", "Verdict", "cloud_findings", "machine_findings", "signed_out_findings"]
