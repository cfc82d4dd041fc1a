"""Attachments of replicas: file servers, and a private connection to a network.

For ``JobSpec`` and its pools. Names are those of the API's messages.

Source: NfsMount, LustreMount, PscInterfaceConfig, DnsPeeringConfig.
"""

from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Items, Text


class NfsMount(Spec):
    """A directory of a file server."""

    server: Text
    """IP address of the server."""
    path: Text
    """Directory that the server exports, from its root."""
    mount_point: Text
    """Where replicas find it, below /mnt/nfs/."""


class LustreMount(Spec):
    """A Lustre file system."""

    instance_ip: Text
    """IP address of the instance."""
    volume_handle: Text
    """Id of the volume."""
    filesystem: Text
    """Name of the file system."""
    mount_point: Text
    """Where replicas find it, below /mnt/lustre/."""


class DnsPeeringConfig(Spec):
    """A domain that the target network's DNS resolves."""

    domain: Text
    """DNS name, ending in a dot."""
    target_project: Text
    """Project of the network."""
    target_network: Text
    """Network that knows the domain."""


class PscInterfaceConfig(Spec):
    """A Private Service Connect interface, by which replicas reach a network."""

    network_attachment: Text
    """Network attachment in the job's region."""
    dns_peering_configs: Items[DnsPeeringConfig] = ()
    """Domains that replicas resolve through that network."""
