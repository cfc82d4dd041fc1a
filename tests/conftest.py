"""What every test starts from: a clean environment and no network but loopback."""

import os
import signal
import socket

import pytest

_SERVICE_VARIABLES = ("AIP_", "CLOUD_ML_", "TF_CONFIG", "CLUSTER_SPEC")
_CLIENT_VARIABLES = ("GOOGLE_", "STORAGE_EMULATOR_HOST", "VERTEX_JOBS_")


@pytest.fixture(autouse=True)
def _clean_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))
    for name in list(os.environ):
        if name.startswith(_SERVICE_VARIABLES + _CLIENT_VARIABLES):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _obey_interrupts() -> None:
    """A background job ignores Ctrl-C, Ctrl-\\ or a hang-up, and so would what a test starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> None:
    """Refuse connections that leave the machine, in this process."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else str(address)
            if host not in ("127.0.0.1", "::1", "localhost"):
                raise AssertionError(f"a test wanted to connect to {address!r}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]
