"""What tests of the whole share: a Local Vertex per module, and the command line before it."""

import pytest
from command_line import STUDY_FIELDS, STUDY_SCRIPT, CommandLine


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """The command line on a Local Vertex of this module, which ends with it."""
    line = CommandLine(tmp_path_factory.mktemp("state"))
    yield line
    line.stop()


@pytest.fixture
def fresh_command(tmp_path):
    """The command line on a Local Vertex of this test alone."""
    line = CommandLine(tmp_path / "state")
    yield line
    line.stop()


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Makes a config with its script beside it, and answers the config's path."""
    directory = tmp_path_factory.mktemp("jobs")

    def write(display_name, script, **fields):
        (directory / f"{display_name}.py").write_text(script)
        lines = {"kind": "custom_job", "display_name": display_name} | fields
        lines["script_path"] = f"{display_name}.py"
        path = directory / f"{display_name}.yaml"
        path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
        return path

    return write


@pytest.fixture(scope="module")
def study(config):
    """The config of a grid of three trials: 0.25 wins, 1 fails."""
    return config("grid", STUDY_SCRIPT, **STUDY_FIELDS)
