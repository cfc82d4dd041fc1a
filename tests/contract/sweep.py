"""All that a client can read from Local Vertex: one drive through the API, and what it answers.

A place is a field of an answer, without the parts that echo a request: ``customJobs.error.code``,
``entries.jsonPayload.attrs.tag``, ``header:server``. Each stands in a recorded answer or in
``sweep_sources``: in a document, or among what is ours. ``test_sweep`` holds that.
"""

import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import requests
from exchanges import MORE
from records import Record

#: What an answer repeats of a request, and keys that are the user's own.
_ECHOED = {"jobSpec", "trialJobSpec", "studySpec", "trainingTaskInputs", "modelToUpload", "labels"}
_OWN_KEYS = {"webAccessUris", "labels"}
_VERTEX_AI, _STORAGE = "us-central1-aiplatform.googleapis.com", "storage.googleapis.com"
_PATIENCE_SECONDS = 60.0


def root(request: Mapping[str, Any]) -> str:
    """What a request is about: a collection, with the verb if it is none of the common ones."""
    if "rpc" in request:
        kind = re.sub(r"^.*/(Get|Create|Delete|Update)", "", request["rpc"])
        return {"Study": "studies", "CustomJob": "customJobs"}[kind]
    path = re.sub(r"<[^>]*>", "x", request["path"])
    parts = re.sub(r"^/(storage/)?v[0-9a-z]+/", "", path).split("/")
    name, _, verb = parts[-1].partition(":")
    collection = name if len(parts) % 2 else parts[-2]
    return f"{collection}:{verb}" if verb else collection


def places(body: Any, name: str) -> Iterator[str]:
    """Every place in a body; a list gives those of its elements, a resource those of its kind."""
    if isinstance(body, list):
        for one in body:
            yield from places(one, name)
    elif isinstance(body, Mapping) and body:
        name = _kind_of(body) or name
        for key, value in body.items():
            if key == MORE or name.rpartition(".")[2] in _OWN_KEYS:
                continue
            yield f"{name}.{key}"
            if key not in _ECHOED:
                yield from places(value, f"{name}.{key}")


def _kind_of(body: Mapping[str, Any]) -> str:
    """The kind of a resource that says its own, or none."""
    kind = str(body.get("kind", ""))
    if kind in ("storage#bucket", "storage#object"):
        return kind.partition("#")[2]
    match = re.fullmatch(r"projects/[^/]+/locations/.*?/(\w+)/[^/]+", str(body.get("name", "")))
    return match[1] if match else ""


def of_answer(request: Mapping[str, Any], body: Any) -> set[str]:
    """The places in an answer: of the resources in it, and of the call that gave them."""
    if isinstance(body, Mapping) and set(body) == {"error"}:
        return set(places(body["error"], "error"))
    return set(places(body, root(request)))


def recorded(records: list[Record]) -> set[str]:
    """The places that a recorded answer has."""
    found: set[str] = set()
    for record in records:
        for one in record.answers:
            assert one.answer is not None
            found |= of_answer(one.request, one.answer.get("body"))
            found |= {f"header:{name}" for name in one.answer.get("headers", {})}
    return found


class Drive:
    """Calls what a client of Local Vertex calls, and keeps the places of all answers."""

    def __init__(self, url: str, project: str, package_uri: str) -> None:
        self.places: set[str] = set()
        self._url = url
        self._parent = f"/v1/projects/{project}/locations/us-central1"
        self._project = project
        pool = {
            "machineSpec": {"machineType": "n1-standard-4"},
            "replicaCount": "1",
            "pythonPackageSpec": {
                "executorImageUri": "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
                "packageUris": [package_uri],
                "pythonModule": "trainer.task",
            },
        }
        self._pool: dict[str, Any] = pool
        self._bucket = package_uri.split("/")[2]

    def call(self, method: str, path: str, body: Any = None, host: str = _VERTEX_AI) -> Any:
        """One call; its answer."""
        headers = {"Host": host}
        answer = requests.request(
            method, self._url + path, json=body, headers=headers, timeout=_PATIENCE_SECONDS
        )
        self.places |= {f"header:{name}" for name, _ in answer.headers.lower_items()}
        form = answer.json() if answer.content else None
        self.places |= of_answer({"path": path.partition("?")[0]}, form)
        return form

    def _until_it_ends(self, name: str) -> Any:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            job = self.call("GET", f"/v1/{name}")
            if job["state"].endswith(("SUCCEEDED", "FAILED", "CANCELLED")):
                return job
            assert time.monotonic() < deadline, job
            time.sleep(0.05)

    def _spec(self, *args: str, **fields: Any) -> dict[str, Any]:
        package = {**self._pool["pythonPackageSpec"], "args": list(args)}
        return {"workerPoolSpecs": [{**self._pool, "pythonPackageSpec": package}], **fields}

    def jobs(self) -> None:
        """Jobs of each kind, ended well and badly; their lists, logs and deletions."""
        base = {"baseOutputDirectory": {"outputUriPrefix": f"gs://{self._bucket}/out"}}
        for args in (("--sleep=1.5",), ("--exit=1",)):
            spec = self._spec(*args, enableWebAccess=True, network="projects/1/global/networks/n")
            job = self.call(
                "POST", f"{self._parent}/customJobs", {"displayName": "j", "jobSpec": spec}
            )
            self._until_it_ends(job["name"])
        self.call("GET", f"{self._parent}/customJobs?pageSize=1")
        study = {
            "metrics": [{"metricId": "score", "goal": "MAXIMIZE"}],
            "parameters": [{"parameterId": "x", "doubleValueSpec": {"maxValue": 1}}],
            "algorithm": "RANDOM_SEARCH",
        }
        for metric in ("score", "other"):
            tuning = {
                "displayName": "t",
                "studySpec": study,
                "maxTrialCount": 2,
                "parallelTrialCount": 2,
                "trialJobSpec": self._spec(f"--metric={metric}", **base),
            }
            made = self.call("POST", f"{self._parent}/hyperparameterTuningJobs", tuning)
            self._until_it_ends(made["name"])
        self.call("GET", f"{self._parent}/hyperparameterTuningJobs")
        for args in (("--model",), ()):
            pipeline = {
                "displayName": "p",
                "trainingTaskDefinition": "gs://google-cloud-aiplatform/schema/trainingjob/"
                "definition/custom_task_1.0.0.yaml",
                "trainingTaskInputs": self._spec(*args, **base),
                "modelToUpload": {"displayName": "m"},
            }
            made = self.call("POST", f"{self._parent}/trainingPipelines", pipeline)
            ended = self._until_it_ends(made["name"])
            if args:
                self.call("GET", f"/v1/{ended['modelToUpload']['name']}")
        self.call("GET", f"{self._parent}/trainingPipelines")
        self.call("GET", f"{self._parent}/models")
        where = {"resourceNames": [f"projects/{self._project}"], "filter": 'resource.type="ml_job"'}
        log = self.call("POST", "/v2/entries:list", where, "logging.googleapis.com")
        lines = [one["textPayload"] for one in log["entries"] if "textPayload" in one]
        self.places |= {f"line:{_shape(line.splitlines()[0])}" for line in lines}
        deleted = self.call("DELETE", f"/v1/{job['name']}")
        self.call("GET", f"/v1/{deleted['name']}")
        self.call("GET", f"/v1/{job['name']}")

    def studies(self) -> None:
        """A study of Vizier's and its trials, datasets, projects and places."""
        spec = {"metrics": [{"metricId": "y", "goal": "MAXIMIZE"}]}
        spec |= {"parameters": [{"parameterId": "x", "doubleValueSpec": {"maxValue": 1}}]}
        made = self.call(
            "POST", f"{self._parent}/studies", {"displayName": "sweep", "studySpec": spec}
        )
        name = f"/v1/{made['name']}"
        operation = self.call(
            "POST", f"{name}/trials:suggest", {"clientId": "c", "suggestionCount": 2}
        )
        while not self.call("GET", f"/v1/{operation['name']}").get("done"):
            time.sleep(0.05)
        one = {"measurement": {"stepCount": "1", "metrics": [{"metricId": "y", "value": 1}]}}
        self.call("POST", f"{name}/trials/1:addTrialMeasurement", one)
        self.call("POST", f"{name}/trials/1:checkTrialEarlyStoppingState", {})
        self.call("POST", f"{name}/trials/1:complete", {})
        self.call(
            "POST",
            f"{name}/trials/2:complete",
            {"trialInfeasible": True, "infeasibleReason": "r"},
        )
        self.call("POST", f"{name}/trials:listOptimalTrials", {})
        self.call("GET", f"{name}/trials")
        self.call("GET", f"{self._parent}/studies")
        schema = "gs://google-cloud-aiplatform/schema/dataset/metadata/image_1.0.0.yaml"
        self.call(
            "POST",
            f"{self._parent}/datasets",
            {"displayName": "d", "metadataSchemaUri": schema},
        )
        self.call("GET", f"{self._parent}/datasets")
        made = self.call("POST", f"{self._parent}/tensorboards", {"displayName": "b"})
        board = f"/v1/{made['response']['name']}"
        self.call("POST", f"{board}/experiments?tensorboardExperimentId=e", {"displayName": "e"})
        self.call("GET", f"{board}/experiments")
        self.call("PATCH", f"{board}?updateMask=isDefault", {"isDefault": True})
        self.call("GET", f"{self._parent}/tensorboards")
        self.call("GET", f"{self._parent}/operations")
        self.call("GET", f"{self._parent.rpartition('/')[0]}")
        manager = "cloudresourcemanager.googleapis.com"
        self.call("GET", f"/v3/projects/{self._project}", host=manager)

    def storage(self) -> None:
        """The bucket of the package, and what the jobs have left there."""
        self.call("GET", f"/storage/v1/b/{self._bucket}", host=_STORAGE)
        self.call("GET", f"/storage/v1/b?project={self._project}", host=_STORAGE)
        listed = self.call("GET", f"/storage/v1/b/{self._bucket}/o", host=_STORAGE)
        self.places |= {f"file:{_shape(one['name'])}" for one in listed.get("items", [])}
        self.call("GET", f"/storage/v1/b/{self._bucket}/o/missing", host=_STORAGE)


def _shape(name: str) -> str:
    """A file's name without the numbers in it."""
    return re.sub(r"\d+", "N", name)
