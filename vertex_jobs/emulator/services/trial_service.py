"""The trials of Vizier's studies, from suggestion to completion.

Source: VizierService of the v1 API; Trial proto.
"""

from collections.abc import Callable, Mapping
from typing import Any

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources import study_rules, study_stopping
from vertex_jobs.emulator.resources.identity import Identity
from vertex_jobs.emulator.resources.request_names import (
    invalid_name,
    is_numeric_id,
    not_found,
    parsed,
)
from vertex_jobs.emulator.resources.trial_answers import vizier_trial
from vertex_jobs.emulator.resources.trial_measurements import (
    add_measurement,
    measurement_faults,
    set_elapsed,
)
from vertex_jobs.emulator.resources.trial_rules import check_trial, end_trial, optimal_trials
from vertex_jobs.emulator.resources.validation import refuse_faults
from vertex_jobs.emulator.services.collection_pages import page_start, take_page
from vertex_jobs.emulator.services.methods import Call, Method, methods_of, rule
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.services.study_service import StudyService
from vertex_jobs.emulator.services.suggestions import Suggestions
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.emulator.study_search.early_stopping import has_stopping_rule
from vertex_jobs.emulator.study_search.session import MOST_SUGGESTIONS
from vertex_jobs.names import ResourceName

_State = protos.TrialState


class TrialService:
    """The trials of all studies."""

    def __init__(
        self,
        store: Store,
        identity: Identity,
        operations: OperationService,
        studies: StudyService,
        suggestions: Suggestions,
    ) -> None:
        self._store = store
        self._identity = identity
        self._operations = operations
        self._studies = studies
        self._suggestions = suggestions

    def methods(self) -> list[Method]:
        """Return the RPCs for trials."""
        study = "projects/*/locations/*/studies/*"
        parent, child = f"{{parent={study}}}/trials", f"{{name={study}/trials/*}}"
        named = child.replace("name=", "trial_name=")
        operation, trial = protos.Operation, protos.Trial
        message = protos.message_class
        trials, optimal = message("ListTrialsResponse"), message("ListOptimalTrialsResponse")

        def action(subject: str, name: str) -> Any:
            return rule("POST", f"{subject}:{name}", "*")

        check = action(named, "checkTrialEarlyStoppingState")
        rows: list[tuple[str, Any, Any, Callable[..., Any]]] = [
            ("SuggestTrials", operation, action(parent, "suggest"), self.suggest),
            ("CreateTrial", trial, rule("POST", parent, "trial"), self.create),
            ("GetTrial", trial, rule("GET", child), self.get),
            ("ListTrials", trials, rule("GET", parent), self.list_page),
            ("AddTrialMeasurement", trial, action(named, "addTrialMeasurement"), self.measure),
            ("CompleteTrial", trial, action(child, "complete"), self.complete),
            ("DeleteTrial", protos.Empty, rule("DELETE", child), self.delete),
            ("CheckTrialEarlyStoppingState", operation, check, self.check_stopping),
            ("StopTrial", trial, action(child, "stop"), self.stop),
            ("ListOptimalTrials", optimal, action(parent, "listOptimalTrials"), self.list_optimal),
        ]
        return methods_of("VizierService", rows)

    def _find(self, text: str) -> tuple[protos.Message, str, protos.Message]:
        """Return the study, its id, and the trial of that name."""
        name = parsed(text, "Trial")
        if name.child_collection != "trials" or not is_numeric_id(name.child_id):
            raise invalid_name("Trial")
        study = self._studies.find(f"{name.parent}/{name.collection}/{name.resource_id}")
        trial = self._store.trial(name.resource_id, name.child_id)
        if trial is None:
            raise not_found("Trial")
        return study, name.resource_id, trial

    def _running(self, text: str) -> tuple[protos.Message, str, protos.Message]:
        study, study_id, trial = self._find(text)
        if study_rules.is_finished(trial):
            raise ApiError(
                "FAILED_PRECONDITION", f"The Trial {text!r} is {_State(trial.state).name} already."
            )
        return study, study_id, trial

    def _new(
        self, study: protos.Message, number: int, assignment: Mapping[str, Any], client_id: str
    ) -> protos.Message:
        trial = protos.Trial(
            id=str(number),
            name=str(ResourceName.parse(study.name).child("trials", str(number))),
            state=_State.ACTIVE,
            client_id=client_id,
        )
        trial.parameters.extend(study_rules.parameter_messages(assignment))
        trial.start_time.CopyFrom(self._identity.now())
        return trial

    def _next_number(self, study_id: str) -> int:
        """Return the number of the next trial; those of deleted trials are not used again."""
        return int(self._store.settings("studies", study_id).get("last_trial", 0)) + 1

    def _keep(self, study_id: str, trial: protos.Message) -> None:
        settings = self._store.settings("studies", study_id)
        with self._store.transaction():
            self._store.save_trial(study_id, trial, finished=study_rules.is_finished(trial))
            if int(trial.id) > settings.get("last_trial", 0):
                self._store.save_settings(
                    "studies", study_id, {**settings, "last_trial": int(trial.id)}
                )

    async def suggest(self, request: protos.Message, call: Call) -> protos.Message:
        """Return trials for a client: its waiting ones, then requested ones, then new ones."""
        if not 1 <= request.suggestion_count <= MOST_SUGGESTIONS:
            raise ApiError(
                "INVALID_ARGUMENT",
                f"suggestion_count is {request.suggestion_count}; it must be from 1 to "
                f"{MOST_SUGGESTIONS}: ask several times, with a client_id for each.",
            )
        if request.contexts:
            raise ApiError(
                "UNIMPLEMENTED",
                "contexts: Local Vertex knows no contextual suggestions; leave them out, or use "
                "Vertex AI.",
            )
        study = self._studies.find(request.parent, "parent")
        name, started = ResourceName.parse(study.name), self._identity.now()
        study_id = name.resource_id
        async with self._suggestions.lock(study_id):
            trials = self._waiting(study_id, request)
            missing = request.suggestion_count - len(trials)
            if missing > 0:
                first = self._next_number(study_id)
                count = int(min(missing, self._room(study, study_id)))
                numbers = list(range(first, first + count))
                assignments = await self._suggestions.ask(study, numbers) if numbers else []
                with self._store.transaction():
                    for number, assignment in zip(numbers, assignments, strict=False):
                        trial = self._new(study, number, assignment, request.client_id)
                        self._keep(study_id, trial)
                        trials.append(trial)
                if len(assignments) < missing:
                    study.state = protos.StudyState.COMPLETED
                    self._store.save(study)
        ended = self._identity.now()
        response = protos.message_class("SuggestTrialsResponse")(
            trials=map(vizier_trial, trials),
            study_state=study.state,
            start_time=started,
            end_time=ended,
        )
        return self._operations.done(
            name, response, "SuggestTrialsMetadata", client_id=request.client_id
        )

    def _room(self, study: protos.Message, study_id: str) -> float:
        """Return how many new trials the study may have; none once it has ended."""
        if study.state != protos.StudyState.ACTIVE:
            return 0
        case = self._case(study, study_id)
        if study_stopping.reason_to_stop(*case):
            return 0
        return study_stopping.trial_limit(*case) - len(case[1])

    def _case(self, study: protos.Message, study_id: str) -> tuple[Any, list[Any], Any, Any]:
        now = self._identity.now()
        return study.study_spec, self._store.trials(study_id), study.create_time, now

    def _waiting(self, study_id: str, request: protos.Message) -> list[protos.Message]:
        """Trials that the client has begun, and requested ones, which become the client's."""
        found: list[protos.Message] = []
        for trial in sorted(self._store.trials(study_id), key=lambda one: int(one.id)):
            if len(found) == request.suggestion_count:
                break
            if trial.state == _State.ACTIVE and trial.client_id == request.client_id:
                found.append(trial)
            elif trial.state == _State.REQUESTED:
                trial.state, trial.client_id = _State.ACTIVE, request.client_id
                trial.start_time.CopyFrom(self._identity.now())
                self._keep(study_id, trial)
                found.append(trial)
        return found

    async def create(self, request: protos.Message, call: Call) -> protos.Message:
        """Add the caller's own trial: finished if it has a final measurement, else requested."""
        study = self._studies.find(request.parent, "parent")
        study_id, given = ResourceName.parse(study.name).resource_id, request.trial
        check_trial(study.study_spec, given)
        assignment = study_rules.assignment_of(study.study_spec, given)
        async with self._suggestions.lock(study_id):
            number = self._next_number(study_id)
            trial = self._new(study, number, assignment, given.client_id)
            trial.state = _State.REQUESTED
            for one in given.measurements:
                add_measurement(trial, one)
            if given.HasField("final_measurement"):
                end_trial(study.study_spec, trial, given.final_measurement, self._identity.now())
            self._keep(study_id, trial)
        return vizier_trial(trial)

    async def get(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the trial."""
        return vizier_trial(self._find(request.name)[2])

    async def list_page(self, request: protos.Message, call: Call) -> protos.Message:
        """Return one page, in the order of ids."""
        study_id = ResourceName.parse(self._studies.find(request.parent, "parent").name).resource_id
        after = page_start(request) or 0
        rows = [
            (int(trial.id), vizier_trial(trial))
            for trial in sorted(self._store.trials(study_id), key=lambda one: int(one.id))
            if int(trial.id) > after
        ]
        page, token = take_page(rows, request, protos.Trial)
        return protos.message_class("ListTrialsResponse")(trials=page, next_page_token=token)

    async def measure(self, request: protos.Message, call: Call) -> protos.Message:
        """Add a measurement; its time is now, unless the caller gives one."""
        study, study_id, trial = self._running(request.trial_name)
        spec, added = study.study_spec, request.measurement
        refuse_faults(measurement_faults(spec, added, "measurement", final=False))
        if not added.elapsed_duration.ByteSize():
            set_elapsed(trial, added, self._identity.now())
        add_measurement(trial, added)
        self._keep(study_id, trial)
        return vizier_trial(trial)

    async def complete(self, request: protos.Message, call: Call) -> protos.Message:
        """End a trial with the given measurement, else with the one that the study selects."""
        study, study_id, trial = self._running(request.name)
        spec, final = study.study_spec, request.final_measurement
        if request.trial_infeasible:
            trial.state = _State.INFEASIBLE
            trial.infeasible_reason = request.infeasible_reason
            trial.end_time.CopyFrom(self._identity.now())
        else:
            if request.HasField("final_measurement"):
                refuse_faults(measurement_faults(spec, final, "final_measurement", final=True))
            else:
                final = study_rules.final_measurement(spec, trial.measurements)
            end_trial(spec, trial, final, self._identity.now())
        self._keep(study_id, trial)
        return vizier_trial(trial)

    async def delete(self, request: protos.Message, call: Call) -> protos.Message:
        """Forget a trial; the search forgets it as well."""
        _, study_id, trial = self._find(request.name)
        self._store.delete_trial(study_id, trial.id)
        await self._suggestions.forget(study_id)
        return protos.Empty()

    async def check_stopping(self, request: protos.Message, call: Call) -> protos.Message:
        """Return whether a running trial should stop by a rule of the study, and mark it."""
        study, study_id, trial = self._running(request.trial_name)
        stops = trial.state == _State.STOPPING
        if not stops and study.study_spec.study_stopping_config.should_stop_asap.value:
            stops = bool(study_stopping.reason_to_stop(*self._case(study, study_id)))
        if not stops and has_stopping_rule(study.study_spec):
            stops, prediction = await self._suggestions.check_stopping(study, trial)
            trial = self._running(request.trial_name)[2]  # it may have changed meanwhile
            if stops and prediction is not None:
                trial.measurements.append(prediction)
        if stops and trial.state == _State.ACTIVE:
            trial.state = _State.STOPPING
            self._keep(study_id, trial)
        response = protos.message_class("CheckTrialEarlyStoppingStateResponse")(should_stop=stops)
        return self._operations.done(
            ResourceName.parse(study.name),
            response,
            "CheckTrialEarlyStoppingStateMetatdata",
            study=study.name,
            trial=trial.name,
        )

    async def stop(self, request: protos.Message, call: Call) -> protos.Message:
        """Mark a running trial as one that should stop."""
        _, study_id, trial = self._running(request.name)
        trial.state = _State.STOPPING
        self._keep(study_id, trial)
        return vizier_trial(trial)

    async def list_optimal(self, request: protos.Message, call: Call) -> protos.Message:
        """Return the trials that no other one beats."""
        study = self._studies.find(request.parent, "parent")
        trials = self._store.trials(ResourceName.parse(study.name).resource_id)
        found = optimal_trials(study.study_spec, sorted(trials, key=lambda one: int(one.id)))
        shown = map(vizier_trial, found)
        return protos.message_class("ListOptimalTrialsResponse")(optimal_trials=shown)
