"""One trial: its custom job, what its replicas report, its final measurement."""

import asyncio

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.controllers.custom_job import CustomJobRun, CustomJobs
from vertex_jobs.emulator.controllers.stop import Stop
from vertex_jobs.emulator.controllers.trial_reports import TrialReports
from vertex_jobs.emulator.replicas.replica_environment import Trial
from vertex_jobs.emulator.resources import states, study_rules
from vertex_jobs.emulator.resources.endings import Ending
from vertex_jobs.emulator.resources.job_records import JobRecord
from vertex_jobs.emulator.resources.service_values import replica_ids
from vertex_jobs.emulator.study_search.early_stopping import check_stopping, has_stopping_rule
from vertex_jobs.emulator.study_search.search_client import SearchClient, SearchFailedError

#: The library rewrites the file in place; what stands there this long is read.
_POLL_SECONDS = 0.05


class TrialRun:
    """One trial's custom job and what it reports; ``trial`` is the message as last written."""

    def __init__(
        self,
        record: JobRecord,
        job: protos.Message,
        trial: protos.Message,
        custom_jobs: CustomJobs,
        search: SearchClient,
    ) -> None:
        self.trial = trial
        self._record = record
        self._job = job
        self._custom_jobs = custom_jobs
        self._search = search
        self._stop = Stop()
        self._prediction: protos.Message | None = None
        self._custom_job = record.owned(trial.custom_job, trial.id)
        self._environment = Trial(
            trial.id,
            study_rules.trial_arguments(study_rules.assignment_of(job.study_spec, trial)),
            custom_jobs.host.folder(self._custom_job.job_id) / "hypertune",
            job.parallel_trial_count,
        )
        wanted = frozenset(metric.metric_id for metric in job.study_spec.metrics)
        replicas = replica_ids(job.trial_job_spec)
        self._metrics = TrialReports(
            {replica: self._environment.metric_file(replica) for replica in replicas}, wanted
        )

    def cancel(self) -> None:
        """Stop the trial; what it has measured is kept."""
        self._custom_job.request_cancel()
        self._stop.set()

    async def run(self) -> None:
        """Run to the end, which is written before this returns."""
        custom_job = self._custom_job.load()
        if states.is_terminal(custom_job):  # the server ended between the two last writes
            self._finish(Ending(custom_job.state, "", custom_job.error.message))
            return
        self._metrics.prepare()
        run = self._custom_jobs.controller(
            self._custom_job,
            self._stop,
            owner=self._record,
            trial=self._environment,
            before_end=self._finish,
        )
        following = asyncio.create_task(self._follow(run))
        try:
            await run.run()
        finally:
            following.cancel()
            run.note_steps(self._metrics.new_marks())

    async def _follow(self, run: CustomJobRun) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if self._metrics.poll():
                self._write_measurements()
                await self._stop_early()
                run.handle_step(max(report.step for report in self._metrics.reports()))
            run.note_steps(self._metrics.new_marks())
            self._warn()

    async def _stop_early(self) -> None:
        """Ask the study's rule whether to go on; if not, end the trial, which keeps its metrics."""
        spec = self._job.study_spec
        if self._stop.is_set() or not has_stopping_rule(spec):
            return
        trials = self._record.trials()
        try:
            stops, prediction = await check_stopping(self._search, spec, self.trial, trials)
        except SearchFailedError as error:
            self._metrics.warn(f"The trial was not judged for early stopping: {error}; it goes on.")
            return
        if not stops or self.trial.state != protos.TrialState.ACTIVE:
            return
        self._prediction = prediction
        self.trial.state = protos.TrialState.STOPPING
        self._write_measurements()
        step = self.trial.measurements[-1].step_count
        text = f"Trial {self.trial.id} is stopped early at step {step} by the study's rule."
        self._custom_job.say(text, "NOTICE")
        self.cancel()

    def _warn(self) -> None:
        for text in self._metrics.new_warnings():
            self._custom_job.say(text, "WARNING")

    def _take_measurements(self) -> None:
        """Put the reports into the trial; those of an earlier run stay."""
        started = self.trial.start_time.ToNanoseconds() / 1e9
        kept = {one.step_count: one for one in self.trial.measurements}
        for report in self._metrics.reports():
            before = kept.get(report.step, protos.Measurement()).metrics
            metrics = {one.metric_id: one.value for one in before} | report.metrics
            kept[report.step] = study_rules.measurement(report.step, metrics, report.time - started)
        ordered = [kept[step] for step in sorted(kept)]
        del self.trial.measurements[:]
        self.trial.measurements.extend(ordered)

    def _write_measurements(self) -> None:
        self._take_measurements()
        self._record.save_trial(self.trial)

    def _finish(self, ending: Ending) -> None:
        """Write the trial's end; called in the transaction that ends its custom job."""
        for _ in range(2):  # nobody writes any more: what stands there stands there twice
            self._metrics.poll()
        self._take_measurements()
        self._warn()
        if note := self._metrics.note_on_others():
            self._custom_job.say(note, "NOTICE")
        trial = self.trial
        stopped_early = trial.state == protos.TrialState.STOPPING
        if stopped_early and self._prediction is not None:
            trial.measurements.append(self._prediction)
        final = study_rules.final_measurement(self._job.study_spec, trial.measurements)
        if (ending.state == states.SUCCEEDED or stopped_early) and final is not None:
            trial.state = protos.TrialState.SUCCEEDED
            trial.final_measurement.CopyFrom(final)
        else:
            trial.state = protos.TrialState.INFEASIBLE
            trial.infeasible_reason = ending.reason or self._missing_metric()
            if not ending.message:
                self._custom_job.say(trial.infeasible_reason, "WARNING")
        trial.end_time.CopyFrom(self._record.now())
        self._record.save_trial(trial, finished=True)

    def _missing_metric(self) -> str:
        """Return why there is no final measurement, with everything that was reported."""
        wanted = ", ".join(metric.metric_id for metric in self._job.study_spec.metrics)
        kept = dict.fromkeys(study_rules.reported_names(self.trial.measurements), "")
        tags = {**self._metrics.tags, **kept}  # an earlier run of the trial may have reported more
        names = [f"{name} ({tags[name]})" if tags[name] else name for name in sorted(tags)]
        found = ", ".join(names) or "nothing"
        return f"The trial ended without a complete measurement of {wanted}; it reported {found}."
