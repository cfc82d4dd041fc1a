"""Google's generated package: entered without its clients, and whole as soon as it is asked."""

import subprocess
import sys

import pytest

BEFORE = (
    "import sys; from vertex_jobs.generated_api import message_types; types = message_types(); "
    "services = 'google.cloud.aiplatform_v1.services'; "
)


def printed(program: str) -> str:
    """What a fresh process prints: the test's own has imported the package already."""
    return subprocess.run(
        [sys.executable, "-c", BEFORE + program], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_messages_come_without_clients() -> None:
    assert printed(
        "print(types.CustomJob(display_name='x').display_name, services in sys.modules)"
    ) == ("x False")


@pytest.mark.parametrize(
    "program",
    [
        "from google.cloud.aiplatform_v1 import JobServiceClient as found; print(found.__name__)",
        "from google.cloud.aiplatform_v1 import *; print(JobServiceClient.__name__)",
        "import google.cloud.aiplatform_v1 as v1; print(v1.JobServiceClient.__name__)",
        "import google.cloud.aiplatform_v1 as v1; print(*{'JobServiceClient'} & set(dir(v1)))",
    ],
)
def test_whoever_asks_for_a_client_gets_it(program: str) -> None:
    assert printed(program) == "JobServiceClient"


def test_one_clients_own_module_does_not_bring_the_others() -> None:
    assert (
        printed(
            "from google.cloud.aiplatform_v1.services.job_service import JobServiceClient; "
            "print('google.cloud.aiplatform_v1.services.index_service' in sys.modules)"
        )
        == "False"
    )


def test_messages_are_the_same_classes_before_and_after() -> None:
    assert (
        printed(
            "from google.cloud.aiplatform_v1 import CustomJob; print(CustomJob is types.CustomJob)"
        )
        == "True"
    )


def test_a_name_that_nobody_has_is_an_attribute_error() -> None:
    program = "import google.cloud.aiplatform_v1 as v1; print(hasattr(v1, 'NoSuchThing'))"
    assert printed(program) == "False"


def test_a_whole_package_is_left_alone() -> None:
    program = (
        "import google.cloud.aiplatform_v1 as v1\n"
        "from vertex_jobs.generated_api import message_types\n"
        "assert message_types() is v1.types\nprint(type(v1).__name__)"
    )
    run = [sys.executable, "-c", program]
    found = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert found.strip() == "module"
