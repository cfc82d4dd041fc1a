"""All methods of Local Vertex in one table, for both fronts."""

from datetime import datetime, timezone

from vertex_jobs.emulator.controllers.supervisor import Supervisor
from vertex_jobs.emulator.controllers.warm_start import EarlierStudies
from vertex_jobs.emulator.replicas.capacity import Capacity
from vertex_jobs.emulator.resources.dataset_lookup import DatasetLookup
from vertex_jobs.emulator.resources.job_records import JobRecords
from vertex_jobs.emulator.resources.model_registry import ModelRegistry
from vertex_jobs.emulator.resources.tables.operations import OperationTable
from vertex_jobs.emulator.services.admission import Admission
from vertex_jobs.emulator.services.dataset_service import DatasetService
from vertex_jobs.emulator.services.job_service import JobService
from vertex_jobs.emulator.services.methods import Method
from vertex_jobs.emulator.services.model_service import ModelService
from vertex_jobs.emulator.services.operation_service import OperationService
from vertex_jobs.emulator.services.project_service import ProjectService
from vertex_jobs.emulator.services.study_service import StudyService
from vertex_jobs.emulator.services.suggestions import Suggestions
from vertex_jobs.emulator.services.tensorboard_experiment_service import (
    TensorboardExperimentService,
)
from vertex_jobs.emulator.services.tensorboard_service import TensorboardService
from vertex_jobs.emulator.services.trial_service import TrialService
from vertex_jobs.emulator.study_search.search_client import SearchClient


def api_methods(
    records: JobRecords,
    supervisor: Supervisor,
    capacity: Capacity,
    models: ModelRegistry,
    earlier: EarlierStudies,
    search: SearchClient,
) -> list[Method]:
    """Return every RPC that is served."""
    store, identity = records.store, records.identity
    operations = OperationService(OperationTable(store.database), identity)
    admission = Admission(
        capacity,
        models,
        DatasetLookup(store),
        earlier,
        lambda: datetime.fromtimestamp(identity.unix_time(), timezone.utc).date(),
    )
    methods = [
        method
        for kind, admit in admission.by_kind().items()
        for method in JobService(
            kind,
            admit,
            store,
            identity,
            operations,
            start=supervisor.start,
            cancel=supervisor.cancel,
        ).methods()
    ]
    methods += ModelService(store, identity, operations).methods()
    methods += DatasetService(store, identity, operations).methods()
    methods += TensorboardService(store, identity, operations).methods()
    methods += TensorboardExperimentService(store, identity, operations).methods()
    suggestions = Suggestions(store, search)
    studies = StudyService(store, identity, records.logbook, suggestions)
    methods += studies.methods()
    methods += TrialService(store, identity, operations, studies, suggestions).methods()
    methods += operations.methods()
    methods += ProjectService(store).methods()
    return methods
