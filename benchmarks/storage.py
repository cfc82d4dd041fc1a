"""Claims about the bytes per second of the emulated Cloud Storage.

google-cloud-storage compares it with gcp-storage-emulator, both in processes of their own with
their objects in memory or on the same disk. TensorFlow's ``gs://`` compares it with a sink in C
that ends TLS, reads, discards and answers: the fastest possible server for TensorFlow.
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measuring import ROOT, Claim, alternate, at_least

from vertex_jobs.endpoints import google_environment
from vertex_jobs.testing import local_vertex

__all__ = ["measure"]

_MIB = 256
_TENSORFLOW_MIB = 64
_CHUNK = 2**20
_BUCKET = "benchmark"
_WRITER = f"""\
import os, time
import tensorflow as tf

block = os.urandom({_CHUNK})
started = time.perf_counter()
with tf.io.gfile.GFile("gs://{_BUCKET}/tensorflow.bin", "wb") as file:
    for _ in range({_TENSORFLOW_MIB}):
        file.write(block)
print(time.perf_counter() - started)
"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _process(command: list[str], port: int) -> Iterator[None]:
    """Run a server in a process of its own, ready when the block starts."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait(30)


def _client(url: str) -> Any:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import storage

    return storage.Client(
        project="p", credentials=AnonymousCredentials(), client_options={"api_endpoint": url}
    )


def _upload(blob: Any, path: Path) -> float:
    started = time.perf_counter()
    blob.upload_from_filename(str(path))
    return time.perf_counter() - started


def _download(blob: Any) -> float:
    started = time.perf_counter()
    content = blob.download_as_bytes(checksum=None)
    taken = time.perf_counter() - started
    assert len(content) == _MIB * 2**20
    return taken


def _through_the_client(rounds: int, url: str) -> list[Claim]:
    port = _free_port()
    command = Path(sys.executable).with_name("gcp-storage-emulator")
    peer = [str(command), "start", "--host", "127.0.0.1", "--port", str(port), "--in-memory"]
    with tempfile.TemporaryDirectory() as folder, _process(peer, port):
        path = Path(folder) / "data"
        path.write_bytes(os.urandom(_MIB * 2**20))
        blobs = {}
        for name, address in {"ours": url, "peer": f"http://127.0.0.1:{port}"}.items():
            client = _client(address)
            with contextlib.suppress(Exception):  # one of the two may have it already
                client.create_bucket(_BUCKET)
            blobs[name] = client.bucket(_BUCKET).blob("data")
        up = alternate({name: partial(_upload, blob, path) for name, blob in blobs.items()}, rounds)
        down = alternate({name: partial(_download, blob) for name, blob in blobs.items()}, rounds)
    subject = f"{_MIB} MiB {{}} through google-cloud-storage, times gcp-storage-emulator's speed"
    return [
        at_least(subject.format("up"), up.ratios("peer", "ours"), 1.1),
        at_least(subject.format("down"), down.ratios("peer", "ours"), 1.0),
    ]


def _tensorflow(environment: dict[str, str]) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _WRITER],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def _sink(folder: Path, port: int) -> tuple[list[str], dict[str, str]]:
    """Start the compiled sink, and give the environment that points TensorFlow to it."""
    import trustme

    authority = trustme.CA()
    leaf = authority.issue_cert("www.googleapis.com", "storage.googleapis.com")
    leaf.private_key_and_cert_chain_pem.write_to_path(str(folder / "leaf.pem"))
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    source = ROOT / "benchmarks" / "tls_sink.c"
    program = str(folder / "tls_sink")
    subprocess.run(["cc", "-O2", "-o", program, source, "-lssl", "-lcrypto"], check=True)
    environment = {
        "https_proxy": f"http://127.0.0.1:{port}",
        "CURL_CA_BUNDLE": str(folder / "ca.pem"),
        "GOOGLE_AUTH_TOKEN_FOR_TESTING": "any",
    }
    return [program, str(port), str(folder / "leaf.pem")], environment


def _through_tensorflow(rounds: int, ours: dict[str, str]) -> Claim:
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        command, theirs = _sink(Path(folder), port)
        with _process(command, port):
            seen = alternate(
                {"ours": partial(_tensorflow, ours), "sink": partial(_tensorflow, theirs)}, rounds
            )
    return at_least(
        f"TensorFlow writes {_TENSORFLOW_MIB} MiB to `gs://`, speed against a sink in C over TLS",
        seen.ratios("sink", "ours"),
        0.7,
    )


def measure(rounds: int) -> list[Claim]:
    """Measure uploads, downloads and TensorFlow."""
    with local_vertex() as endpoint:
        server = endpoint.server
        claims = _through_the_client(rounds, endpoint.connection.api_endpoint)
        return [*claims, _through_tensorflow(rounds, google_environment(server))]
