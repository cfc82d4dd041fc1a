from pathlib import Path

from vertex_jobs.emulator.controllers.audit_lines import Evidence, Line, Remains, audit, look_at


def texts(**evidence: object) -> list[str]:
    return [line.text for line in audit(Evidence(succeeded=True, **evidence))]  # type: ignore[arg-type]


def test_a_job_that_wrote_its_outputs_gets_one_plain_line() -> None:
    evidence = Evidence(
        succeeded=True,
        base="gs://bucket/out/",
        outputs={"gs://bucket/out/a": 1_500_000, "gs://bucket/out/b": 20},
    )
    assert audit(evidence) == [Line("Written under gs://bucket/out/: 2 objects, 1.5 MB.", "DEBUG")]


def test_nothing_under_the_output_directory() -> None:
    (line,) = texts(base="gs://bucket/out/")
    assert line.startswith(
        "Nothing was written under gs://bucket/out/, the job's output directory."
    )


def test_a_job_that_failed_need_not_have_written() -> None:
    assert audit(Evidence(succeeded=False, base="gs://bucket/out/")) == []


def test_a_job_without_an_output_directory_has_nothing_to_say() -> None:
    assert texts() == []


def test_a_uri_that_was_opened_as_a_file() -> None:
    remains = Remains("workerpool0-0", [("gs:/bucket/model.keras", 2000)])
    assert texts(remains=[remains]) == [
        "workerpool0-0 wrote 1 file (gs:/bucket/model.keras; 2.0 kB) in its working directory: the "
        "gs:// path was opened as a plain file. Nothing of it is in Cloud Storage. Use "
        "tf.io.gfile, fsspec, or /gcs/<bucket>/ in place of gs://<bucket>/."
    ]


def test_files_that_are_lost_are_named_and_caches_are_not() -> None:
    files = [(f"{name}.bin", 1) for name in "abcd"] + [("__pycache__/t.pyc", 9)]
    assert texts(remains=[Remains("workerpool1-0", files)]) == [
        "workerpool1-0 left 4 files (a.bin, b.bin, c.bin, …; 4 bytes) in its working directory, "
        "which is lost. Write what is to be kept under the output directory."
    ]


def test_an_object_that_several_replicas_wrote() -> None:
    written = {
        "gs://bucket/out/model/model.keras": {"workerpool1-0", "workerpool0-0"},
        "gs://bucket/out/logs/a": {"workerpool0-0"},
    }
    assert texts(written=written) == [
        "workerpool0-0 and workerpool1-0 wrote the same object, "
        "gs://bucket/out/model/model.keras; the last one won. Let the chief alone write it, and "
        "the others elsewhere."
    ]


def test_objects_that_workers_left_in_the_model_directory() -> None:
    workers = {f"gs://bucket/out/model/{name}": {f"workerpool1-{name}"} for name in range(4)}
    others = {
        "gs://bucket/out/model/temporary": {"workerpool1-0"},
        "gs://bucket/out/checkpoints/shard": {"workerpool1-0"},
        "gs://bucket/out/model/chief": {"workerpool0-0"},
        "gs://bucket/out/model/shard": {"workerpool2-0"},
        "gs://bucket/out/model/best": {"workerpool3-0"},
    }
    written = {**workers, **others}
    outputs = dict.fromkeys(written.keys() - {"gs://bucket/out/model/temporary"}, 1)
    assert texts(base="gs://bucket/out/", outputs=outputs, written=written)[1:] == [
        "workerpool1-0, workerpool1-1, workerpool1-2 and workerpool1-3 wrote to AIP_MODEL_DIR "
        "without being the chief: gs://bucket/out/model/0, gs://bucket/out/model/1, "
        "gs://bucket/out/model/2 and 1 more. Write there only if environment.current().is_chief of "
        "vertex_jobs.runtime; its write_to() gives the others a scratch folder."
    ]


def test_a_write_into_another_trials_folder() -> None:
    written = {
        "gs://bucket/out/1/model/m": {"workerpool0-0"},
        "gs://bucket/out/2/model/m": {"workerpool0-0"},
        "gs://bucket/out/shared/data": {"workerpool0-0"},
        "gs://other/1/m": {"workerpool0-0"},
    }
    assert texts(
        base="gs://bucket/out/2/",
        outputs={"gs://bucket/out/2/model/m": 1},
        written=written,
        trial_id="2",
    )[1:] == [
        "Trial 2 wrote gs://bucket/out/1/model/m, which lies in the folder of trial 1. Write under "
        "AIP_MODEL_DIR, which every trial has for itself."
    ]


def test_a_working_directory_is_looked_at_in_order_and_links_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "gs:" / "bucket").mkdir(parents=True)
    (tmp_path / "gs:" / "bucket" / "object").write_bytes(b"abc")
    (tmp_path / "a.txt").write_bytes(b"a")
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    assert look_at("workerpool0-0", tmp_path) == Remains(
        "workerpool0-0", [("a.txt", 1), ("gs:/bucket/object", 3)]
    )


def test_a_bucket_that_nobody_created_is_named() -> None:
    assert texts(made_buckets=["my-bucket"]) == [
        "The bucket gs://my-bucket did not exist and came into being with the first write to it. "
        "On Vertex AI it must be there before the job."
    ]
