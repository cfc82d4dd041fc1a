"""Files that are refused as secrets, and files that only look like one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging.secrets import secret_in
from vertex_jobs.packaging.sources import Selection, collect_package, collect_script

Write = Callable[..., Path]
# Assembled here, so that no scanner takes this file for a real secret.
TOKEN = "gh" + "p_" + "a" * 36
PRIVATE_KEY = "-----BEGIN RSA " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (".env", "TOKEN=1", "environment files hold passwords"),
        (".env.production", "", "environment files hold passwords"),
        ("id_rsa", "", "it is a private key"),
        ("store.p12", "", "it is a key store"),
        ("server.pem", f"x\n{PRIVATE_KEY}", "line 2 holds a private key"),
        ("key.json", f'{{"private_key": "{PRIVATE_KEY}"}}', "line 1 holds a private key"),
        (
            "adc.json",
            '{"refresh_token": "1//0123456789abcdefghij"}',
            "line 1 holds a refresh token",
        ),
        ("task.py", f"a\nb\nTOKEN = '{TOKEN}'", "line 3 holds a GitHub token"),
        ("maps.py", "KEY = 'AIza" + "b" * 35 + "'", "line 1 holds a Google API key"),
        ("aws.cfg", "AKI" + "A0123456789ABCDEF", "line 1 holds a AWS access key"),
    ],
)
def test_secrets(name: str, text: str, reason: str) -> None:
    assert secret_in(name, text.encode()) == reason


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".env.example", "TOKEN=put yours here"),
        ("roots.pem", "-----BEGIN CERTIFICATE-----"),
        ("vocabulary.json", '{"a": 1}'),
        ("aws.md", "AKIA" + "IOSFODNN7EXAMPLE"),
        ("task.py", "token = os.environ['TOKEN']"),
    ],
)
def test_no_secrets(name: str, text: str) -> None:
    assert secret_in(name, text.encode()) == ""


def test_every_secret_is_named_at_once_with_the_way_out(write: Write) -> None:
    root = write({"trainer/task.py": "", "trainer/.env": "", "trainer/tls/id_rsa": ""})
    with pytest.raises(PackagingError) as refused:
        collect_package(root / "trainer", "trainer.task")
    lines = str(refused.value).splitlines()
    assert lines[1:] == [
        f"  {root}/trainer/.env: environment files hold passwords",
        f"  {root}/trainer/tls/id_rsa: it is a private key",
        "leave them out with exclude_files: [trainer/.env, trainer/tls/id_rsa] or a .gitignore, "
        "and read them from Secret Manager",
    ]


def test_the_way_out_works(write: Write) -> None:
    root = write({"trainer/task.py": "", "trainer/.env": ""})
    sources = collect_package(
        root / "trainer", "trainer.task", Selection(exclude_files=["trainer/.env"])
    )
    assert (list(sources.contents), sources.left_out) == (
        ["trainer/task.py"],
        {"trainer/.env": "exclude_files"},
    )


def test_a_token_in_the_script_itself_is_refused(write: Write) -> None:
    root = write({"task.py": f"TOKEN = '{TOKEN}'"})
    with pytest.raises(PackagingError, match=r"task\.py: line 1 holds a GitHub token"):
        collect_script(root / "task.py")
