"""What a program sees that knows nothing of Local Vertex: the child of the environment suite.

``python environment_checks.py CHECK BUCKET`` runs one check in a process of its own, since what is
checked is how a fresh program finds its way by environment variables alone. It ends with an
exception if something is wrong.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

CHECKS: dict[str, Callable[[str], None]] = {}
REGION = "us-central1"


def check(function: Callable[[str], None]) -> Callable[[str], None]:
    CHECKS[function.__name__] = function
    return function


def same(seen: object, expected: object) -> None:
    if seen != expected:
        raise AssertionError(f"{seen!r} is not {expected!r}")


def list_jobs(aiplatform: Any) -> None:
    same([job.display_name for job in aiplatform.CustomJob.list(filter='state="none"')], [])


@check
def program_that_names_no_project(bucket: str) -> None:
    """The project comes from a variable: the SDK then asks Resource Manager, over gRPC."""
    from google.cloud import aiplatform

    aiplatform.init(staging_bucket=f"gs://{bucket}")
    list_jobs(aiplatform)


@check
def program_that_never_initialises(bucket: str) -> None:
    from google.cloud import aiplatform

    list_jobs(aiplatform)


@check
def program_that_reloads_the_sdk(bucket: str) -> None:
    from google.cloud import aiplatform
    from google.cloud.aiplatform import initializer

    aiplatform.init(project="one", location=REGION)
    importlib.reload(initializer)
    importlib.reload(aiplatform)
    aiplatform.init(project="two", location="europe-west4")
    list_jobs(aiplatform)


@check
def program_with_generated_clients(bucket: str) -> None:
    """Regional and multi-regional hosts, over both transports, v1 and v1beta1."""
    from google.cloud import aiplatform_v1, aiplatform_v1beta1

    for library in (aiplatform_v1, aiplatform_v1beta1):
        for host in ("us-central1-aiplatform", "aiplatform.us.rep", "aiplatform"):
            for transport in ("grpc", "rest"):
                client = library.JobServiceClient(
                    client_options={"api_endpoint": f"{host}.googleapis.com"}, transport=transport
                )
                parent = f"projects/p/locations/{REGION}"
                same(list(client.list_custom_jobs(parent=parent)), [])


@check
def program_with_hard_coded_hosts(bucket: str) -> None:
    """requests, urllib and google-auth's session, as scripts write them."""
    import json
    import urllib.request

    import google.auth
    import requests
    from google.auth.transport.requests import AuthorizedSession

    host = "https://storage.googleapis.com"
    upload = f"{host}/upload/storage/v1/b/{bucket}/o?uploadType=media&name=hard/coded"
    same(requests.post(upload, data=b"text").status_code, 200)
    same(requests.get(f"{host}/{bucket}/hard/coded").text, "text")
    listed = f"https://www.googleapis.com/storage/v1/b/{bucket}/o?prefix=hard/"
    with urllib.request.urlopen(listed) as answer:
        same([item["name"] for item in json.load(answer)["items"]], ["hard/coded"])
    credentials, project = google.auth.default(["https://www.googleapis.com/auth/cloud-platform"])
    jobs = f"v1/projects/{project}/locations/{REGION}/customJobs?pageSize=1"
    session = AuthorizedSession(credentials)
    same(session.get(f"https://{REGION}-aiplatform.googleapis.com/{jobs}").status_code, 200)


@check
def program_with_google_cloud_storage(bucket: str) -> None:
    from google.cloud import storage

    blob = storage.Client().bucket(bucket).blob("python/client")
    blob.upload_from_string("text")
    same(blob.download_as_bytes(), b"text")


@check
def program_with_google_cloud_storage_and_its_own_endpoint(bucket: str) -> None:
    """The real address, given by the program itself."""
    from google.cloud import storage

    options = {"api_endpoint": "https://storage.googleapis.com"}
    blob = storage.Client(client_options=options).bucket(bucket).blob("python/endpoint")
    blob.upload_from_string("text")
    same(blob.download_as_bytes(), b"text")


@check
def program_with_gcsfs(bucket: str) -> None:
    import fsspec

    with fsspec.open(f"gs://{bucket}/fsspec/file", "w") as file:
        file.write("text")
    with fsspec.open(f"gs://{bucket}/fsspec/file") as file:
        same(file.read(), b"text")


@check
def program_whose_parts_talk_over_loopback(bucket: str) -> None:
    """As replicas of one job do: straight to each other, not by way of the emulator."""
    import os
    import socket
    from concurrent.futures import ThreadPoolExecutor

    import grpc

    def answer(request: bytes, context: Any) -> bytes:
        return str(context.peer().rpartition(":")[2]).encode()

    server = grpc.server(ThreadPoolExecutor(1))
    handlers = {"Peer": grpc.unary_unary_rpc_method_handler(answer)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Part", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        peer = int(channel.unary_unary("/Part/Peer")(b"", timeout=30))
        own = set()
        for name in os.listdir("/proc/self/fd"):
            try:
                with socket.socket(fileno=os.dup(int(name))) as one:
                    own.add(one.getsockname()[1:2])
            except OSError:  # no socket, or closed since
                continue
    server.stop(None)
    same((peer,) in own, True)


@check
def program_that_uses_another_google_api(bucket: str) -> None:
    """Refused by name, at once, and tried once."""
    import google.auth
    from google.api_core import exceptions
    from google.auth.transport.requests import AuthorizedSession
    from google.cloud import resourcemanager_v3

    credentials, _ = google.auth.default(["https://www.googleapis.com/auth/cloud-platform"])
    answer = AuthorizedSession(credentials).get(
        "https://bigquery.googleapis.com/bigquery/v2/projects/p/datasets"
    )
    same((answer.status_code, answer.json()["error"]["status"]), (501, "UNIMPLEMENTED"))
    try:
        resourcemanager_v3.FoldersClient().get_folder(name="folders/1")
    except exceptions.MethodNotImplemented as error:
        same("Folders.GetFolder is not emulated by Local Vertex" in error.message, True)
    else:
        raise AssertionError("it was answered")


if __name__ == "__main__":
    CHECKS[sys.argv[1]](sys.argv[2])
