"""The verb package: what it lists, writes and proves."""

import tarfile
import zipfile


def test_package_is_written_proved_and_named(command, config, tmp_path):
    done = command("package", config, "--output", tmp_path / "out")
    with tarfile.open(done.out.strip()) as archive:
        names = archive.getnames()
    assert (done.code, any(name.endswith("/train.py") for name in names)) == (0, True)


def test_package_that_does_not_answer_for_help_is_an_error(command, config, tmp_path):
    config.with_name("train.py").write_text("import no_such_library\n")
    done = command("package", config, "--output", tmp_path / "out")
    assert (done.code, done.out, "No module named 'no_such_library'" in done.err) == (2, "", True)


def test_folder_that_cannot_be_written_is_an_error(command, config):
    done = command("package", config, "--output", config / "below-a-file")
    assert (done.code, "name another folder with --output" in done.err) == (2, True)


def test_what_travels_and_what_stays_is_listed(command, config, tmp_path):
    root = config.parent
    (root / "labels.csv").write_text("a" * 2048)
    (root / "net").mkdir()
    (root / "net" / "__init__.py").write_text("")
    (root / "net" / "old.log").write_text("")
    (root / ".gitignore").write_text("*.log")
    (root / "train.py").write_text("import net\n")
    words = ("--set", "data_files=[labels.csv]", "--output", tmp_path / "out")
    lines = command("package", config, *words).err.splitlines()
    assert (lines[:4], lines[5:7]) == (
        [
            "travels:",
            "     2.0 kB  labels.csv",
            "       0 B   net/__init__.py",
            "      11 B   train.py",
        ],
        [
            "installed with it: argparse-dataclass>=2.0.0, cloudml-hypertune==0.1.0.dev6",
            "stays behind (.gitignore): net/old.log",
        ],
    )


def test_runtime_alone_is_a_small_wheel(command, tmp_path):
    done = command("package", "--runtime-only", "--output", tmp_path)
    with zipfile.ZipFile(done.out.strip()) as wheel:
        tops = {name.split("/")[1] for name in wheel.namelist() if name.startswith("vertex_jobs/")}
    assert (done.code, tops) == (
        0,
        {"__init__.py", "errors.py", "names.py", "py.typed", "runtime"},
    )


def test_package_of_nothing_says_what_to_name(command):
    done = command("package")
    assert (done.code, "name a CONFIG, or ask for --runtime-only" in done.err) == (2, True)
