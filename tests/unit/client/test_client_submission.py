"""Submit once: what is sent, what is journalled, and what an unclear answer leads to."""

import pytest

from vertex_jobs.client.journal import (
    CREATED,
    REFUSED,
    SENT,
    SHORT,
    UNKNOWN,
    UPLOADED,
    Create,
    Entry,
    Journal,
)
from vertex_jobs.client.settling import settle
from vertex_jobs.client.submission import Submitter
from vertex_jobs.client.timing import Timing
from vertex_jobs.errors import (
    EndpointLostError,
    RequestRefusedError,
    ServerFaultError,
    SubmissionUnknownError,
)
from vertex_jobs.requests import Request

PARENT = "projects/p/locations/us-central1"
NAME = f"{PARENT}/customJobs/5"
NONCE = "00112233445566ff"
ENDPOINT = "http://127.0.0.1:1"
REQUEST = Request(
    "customJobs",
    PARENT,
    {"displayName": "digits", "labels": {"vertex-jobs-submission": "{submission}"}},
)
FOUND = {"name": NAME, "labels": {"vertex-jobs-submission": NONCE}}
LOST = EndpointLostError("the connection broke")


class Collections:
    """The seam that submitting needs: it remembers creates and answers as told."""

    def __init__(self, outcome, lists=()):
        self.outcome = outcome
        self.lists = list(lists)
        self.created = []
        self.filters = []
        self.parents = []
        self.before_create = lambda: None
        self.there = {}

    def address(self, parent):
        return ENDPOINT

    def get(self, name):
        return self.there[name]

    def cancel(self, name):
        raise AssertionError("nothing here is cancelled")

    def create(self, kind, parent, body, headers):
        self.before_create()
        self.created.append((kind.collection, parent, body, dict(headers)))
        outcome = self.outcome.pop(0) if isinstance(self.outcome, list) else self.outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def list(self, kind, filter_text="", parent=""):
        self.filters.append((kind.collection, filter_text))
        self.parents.append(parent)
        answer = self.lists.pop(0) if self.lists else []
        if isinstance(answer, BaseException):
            raise answer
        return answer


def at(seconds):
    """That time, at which sleeping takes none."""
    clock = iter(range(1_000_000))
    return Timing(clock=lambda: next(clock), sleep=lambda _: None, now=lambda: seconds)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path)


@pytest.fixture
def submit(journal, time):
    def submit(collections, upload=lambda: None):
        submitter = Submitter(collections, journal, time.timing)
        entry = submitter.begin([REQUEST], lambda: NONCE, upload=upload, headers={"x": "y"})
        return submitter.send(entry)[1]

    return submit


class TestAServersOwnFault:
    def test_one_that_changed_nothing_is_told_at_once(self, submit, journal, time):
        fault = ServerFaultError("f", code=500, status="INTERNAL", changed_nothing=True)
        collections = Collections(fault)
        with pytest.raises(ServerFaultError):
            submit(collections)
        assert (journal.read(NONCE).current.state, collections.filters, time.slept) == (
            REFUSED,
            [],
            [],
        )

    def test_after_one_that_may_have_created_it_the_job_is_looked_for(self, submit):
        fault = ServerFaultError("f", code=500, status="INTERNAL", changed_nothing=False)
        collections = Collections(fault)
        with pytest.raises(SubmissionUnknownError):
            submit(collections)
        assert collections.filters


class TestAnAnsweredCreate:
    def test_the_nonce_replaces_its_placeholder(self, submit):
        collections = Collections({"name": NAME})
        submit(collections)
        body = {"displayName": "digits", "labels": {"vertex-jobs-submission": NONCE}}
        assert collections.created == [("customJobs", PARENT, body, {"x": "y"})]

    def test_the_journal_has_the_name(self, submit, journal):
        submit(Collections({"name": NAME}))
        entry = journal.read(NONCE).current
        assert (entry.state, entry.name) == (CREATED, NAME)

    def test_it_is_journalled_as_sent_before_it_is_sent(self, submit, journal):
        states = []
        collections = Collections({"name": NAME})
        collections.before_create = lambda: states.append(journal.read(NONCE).current.state)
        submit(collections)
        assert states == [SENT]

    def test_the_journal_holds_what_was_sent(self, submit, journal):
        collections = Collections({"name": NAME})
        submit(collections)
        assert journal.read(NONCE).current.body == collections.created[0][2]


class TestACertainFailure:
    REFUSAL = RequestRefusedError("Bad field.", code=400, status="INVALID_ARGUMENT")

    def test_it_is_raised_as_it_is(self, submit):
        with pytest.raises(RequestRefusedError, match="Bad field"):
            submit(Collections(self.REFUSAL))

    def test_nobody_looks_for_a_job(self, submit):
        collections = Collections(self.REFUSAL)
        with pytest.raises(RequestRefusedError):
            submit(collections)
        assert collections.filters == []

    def test_the_journal_says_refused(self, submit, journal):
        with pytest.raises(RequestRefusedError):
            submit(Collections(self.REFUSAL))
        entry = journal.read(NONCE).current
        assert (entry.state, entry.detail) == (REFUSED, "400 INVALID_ARGUMENT: Bad field.")

    def test_without_the_package_nothing_is_created(self, submit, journal):
        def upload():
            raise RequestRefusedError("no bucket", code=404, status="NOT_FOUND")

        collections = Collections({"name": NAME})
        with pytest.raises(RequestRefusedError):
            submit(collections, upload)
        assert (collections.created, journal.read(NONCE).current.state) == ([], REFUSED)


class TestAnUnclearFailure:
    @pytest.mark.parametrize(
        "failure", [LOST, RequestRefusedError("x", code=503, status="UNAVAILABLE")]
    )
    def test_a_job_that_is_found_by_its_label_is_ours(self, submit, failure):
        assert submit(Collections(failure, [[FOUND]])) == FOUND

    def test_it_is_looked_for_by_label_in_its_collection(self, submit):
        collections = Collections(LOST, [[FOUND]])
        submit(collections)
        assert collections.filters == [("customJobs", f'labels.vertex-jobs-submission="{NONCE}"')]

    def test_another_job_is_never_taken_for_it(self, submit):
        other = {"name": NAME, "labels": {"vertex-jobs-submission": "f" * 16}}
        assert submit(Collections(LOST, [[other, {"name": NAME}], [FOUND]])) == FOUND

    def test_a_filter_that_is_not_understood_is_done_without(self, submit):
        refusal = RequestRefusedError("Invalid filter.", code=400, status="INVALID_ARGUMENT")
        collections = Collections(LOST, [refusal, [{"name": "other"}, FOUND]])
        assert (submit(collections), collections.filters[-1]) == (FOUND, ("customJobs", ""))

    def test_a_job_that_appears_later_is_found(self, submit, journal):
        submit(Collections(LOST, [[], LOST, [], [FOUND]]))
        assert journal.read(NONCE).current.state == CREATED

    def test_it_looks_for_a_minute_and_no_longer(self, submit, time):
        with pytest.raises(SubmissionUnknownError):
            submit(Collections(LOST))
        assert 50.0 < sum(time.slept) <= 60.0

    def test_it_is_never_sent_again(self, submit):
        collections = Collections(LOST)
        with pytest.raises(SubmissionUnknownError):
            submit(collections)
        assert len(collections.created) == 1

    def test_the_error_says_how_to_find_out(self, submit):
        expected = (
            r"it is unknown whether 'digits' was created: .* the connection broke.*"
            rf"label vertex-jobs-submission={NONCE} was found; .*to find out: vertex-jobs list"
        )
        with pytest.raises(SubmissionUnknownError, match=expected.replace(".* the", ".*the")):
            submit(Collections(LOST))

    def test_the_journal_says_unknown(self, submit, journal):
        with pytest.raises(SubmissionUnknownError):
            submit(Collections(LOST))
        assert (journal.read(NONCE).current.state, journal.read(NONCE).current.name) == (
            UNKNOWN,
            "",
        )

    def test_a_refused_search_ends_it_at_once(self, submit, time):
        refusal = RequestRefusedError("no", code=403, status="PERMISSION_DENIED")
        with pytest.raises(SubmissionUnknownError):
            submit(Collections(LOST, [refusal]))
        assert time.slept == []

    def test_an_interrupt_before_it_was_sent_leaves_nothing_open(self, submit, journal):
        def upload():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            submit(Collections({"name": NAME}), upload)
        assert not journal.read(NONCE).is_open

    def test_an_interrupt_leaves_it_open(self, submit, journal):
        with pytest.raises(KeyboardInterrupt):
            submit(Collections(KeyboardInterrupt()))
        assert journal.read(NONCE).is_open


ELSEWHERE = "projects/p/locations/europe-west4"
THERE = f"{ELSEWHERE}/customJobs/6"
NO_QUOTA = RequestRefusedError("Quota exceeded.", code=429, status="RESOURCE_EXHAUSTED")
STOCKOUT = {"code": 8, "message": "Resources are insufficient in region: us-central1."}


class TestPlaces:
    @pytest.fixture
    def submitter(self, journal, time):
        """Makes the submitter of a job with one fallback, and its submission."""

        def submitter(*outcomes):
            collections = Collections(list(outcomes))
            made = Submitter(collections, journal, time.timing)
            requests = [REQUEST, Request("customJobs", ELSEWHERE, REQUEST.body)]
            nonces = iter([NONCE, "f" * 16])
            entry = made.begin(requests, lambda: next(nonces), upload=lambda: None, headers={})
            return made, entry, collections

        return submitter

    def test_one_entry_holds_the_create_of_each_place(self, submitter, journal):
        _, entry, _ = submitter()
        creates = [(one.parent, one.nonce, one.state) for one in journal.read(NONCE).creates]
        assert creates == [(PARENT, NONCE, UPLOADED), (ELSEWHERE, "f" * 16, UPLOADED)]
        assert [read.nonce for read in journal.entries()] == [entry.nonce]

    def test_a_place_without_quota_is_journalled_before_the_next_is_asked(self, submitter, journal):
        made, entry, collections = submitter(NO_QUOTA, {"name": THERE})
        states = []
        collections.before_create = lambda: states.append(
            [one.state for one in journal.read(NONCE).creates]
        )
        made.send(entry)
        assert states == [[SENT, UPLOADED], [SHORT, SENT]]

    def test_whoever_asks_is_told_what_comes_next(self, submitter):
        made, entry, _ = submitter(NO_QUOTA, {"name": THERE})
        told = []
        made.send(entry, told.append)
        assert [(one.creates[0].detail, one.current.location) for one in told] == [
            ("Quota exceeded.", "europe-west4")
        ]

    def test_the_last_place_without_quota_says_so(self, submitter, journal):
        made, entry, _ = submitter(NO_QUOTA, NO_QUOTA)
        with pytest.raises(RequestRefusedError, match="Quota exceeded"):
            made.send(entry)
        assert [one.state for one in journal.read(NONCE).creates] == [SHORT, REFUSED]

    def test_an_unclear_answer_leads_to_no_other_place(self, submitter):
        made, entry, collections = submitter(LOST, {"name": THERE})
        with pytest.raises(SubmissionUnknownError):
            made.send(entry)
        assert len(collections.created) == 1

    def test_a_running_job_is_left_where_it_is(self, submitter):
        made, entry, collections = submitter({"name": NAME})
        entry, _ = made.send(entry)
        collections.there[NAME] = {"name": NAME, "state": "JOB_STATE_PENDING"}
        assert made.resume(entry)[1]["name"] == NAME

    def test_after_a_stockout_it_goes_on(self, submitter, journal):
        made, entry, collections = submitter({"name": NAME}, {"name": THERE})
        entry, _ = made.send(entry)
        ended = {"name": NAME, "state": "JOB_STATE_FAILED", "error": STOCKOUT}
        collections.there[NAME] = ended
        assert made.resume(entry)[1]["name"] == THERE
        assert [one.name for one in journal.read(NONCE).creates] == [NAME, THERE]

    def test_two_that_saw_the_same_stockout_make_one_job(self, submitter, journal):
        made, entry, collections = submitter({"name": NAME}, {"name": THERE})
        made.send(entry)
        collections.there = {
            NAME: {"name": NAME, "state": "JOB_STATE_FAILED", "error": STOCKOUT},
            THERE: {"name": THERE, "state": "JOB_STATE_RUNNING"},
        }
        names = [made.resume(journal.read(NONCE))[1]["name"] for _ in range(2)]
        assert (names, len(collections.created)) == ([THERE, THERE], 2)


class TestSettling:
    def open_entry(self, journal, state=SENT, changed=1000.0):
        body = {"displayName": "digits"}
        create = Create(NONCE, ENDPOINT, PARENT, "customJobs", body, state)
        journal.write(Entry((create,), changed))

    @pytest.mark.parametrize("state", [SENT, UNKNOWN])
    def test_a_job_that_is_found_closes_the_entry(self, journal, state):
        self.open_entry(journal, state)
        settle(journal, Collections(None, [[FOUND]]), at(1001.0))
        assert (journal.read(NONCE).current.state, journal.read(NONCE).current.name) == (
            CREATED,
            NAME,
        )

    def test_a_recent_entry_without_a_job_stays_open(self, journal):
        self.open_entry(journal)
        settled = settle(journal, Collections(None), at(1599.0))
        assert [entry.is_open for entry in settled] == [True]

    def test_an_old_entry_without_a_job_is_closed(self, journal):
        self.open_entry(journal)
        settle(journal, Collections(None), at(1601.0))
        entry = journal.read(NONCE).current
        assert (entry.state, entry.detail) == (REFUSED, "no such job 601 s after it was sent")

    def test_an_endpoint_that_is_lost_changes_nothing(self, journal):
        self.open_entry(journal)
        with pytest.raises(EndpointLostError):
            settle(journal, Collections(None, [LOST] * 20), at(9999.0))
        assert journal.read(NONCE).current.state == SENT

    def test_what_was_settled_long_ago_is_forgotten(self, journal):
        self.open_entry(journal, CREATED)
        settle(journal, Collections(None), at(1001.0 + 30 * 86400))
        assert list(journal.entries()) == []

    def test_nothing_open_asks_nothing(self, journal):
        collections = Collections(None)
        self.open_entry(journal, CREATED)
        settle(journal, collections, at(9999.0))
        assert collections.filters == []
