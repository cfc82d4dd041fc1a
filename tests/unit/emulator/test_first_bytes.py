import ssl

import pytest

from vertex_jobs.emulator.fronts.first_bytes import offered_protocols


def client_hello(*protocols: str) -> bytes:
    """The first record that Python's own TLS sends."""
    context = ssl.create_default_context()
    if protocols:
        context.set_alpn_protocols(list(protocols))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="storage.googleapis.com")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("protocols", [(), ("h2",), ("h2", "http/1.1")])
def test_offers_are_read(protocols: tuple[str, ...]) -> None:
    assert offered_protocols(client_hello(*protocols)) == protocols


def test_a_cut_record_offers_nothing() -> None:
    assert offered_protocols(client_hello("h2")[:60]) == ()
