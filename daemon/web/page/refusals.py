"""What the refusals of the actions are to a person: a sentence that says what to do next, and where to look."""

from __future__ import annotations

from daemon.application.model import (
    ApplicationExists,
    ApplicationOvertaken,
    InterviewOvertaken,
    RoundExists,
    TransitionRefused,
    UnknownApplication,
    UnknownInterview,
)
from daemon.application.model import InvalidValue as InvalidApplicationValue
from daemon.application.model import UnknownPosting as NothingToApplyFor
from daemon.collection.model import SourceKept
from daemon.company.model import (
    CompanyExists,
    SourceFollowed,
    UnknownAlias,
    UnknownCategory,
    UnknownCompany,
    UnknownSource,
)
from daemon.company.model import InvalidValue as InvalidCompanyValue
from daemon.flags.model import UnknownFlag
from daemon.matching.model import CriteriaFull, CriterionExists, InvalidCriterion, UnknownCriterion
from daemon.posting.model import EditRefused, InvalidPosting, PostingExists, PostingOvertaken, UnknownPosting
from daemon.web.page.visit import Refusal, Visit

_NOWHERE = (
    UnknownPosting,
    NothingToApplyFor,
    UnknownApplication,
    UnknownInterview,
    UnknownCompany,
    UnknownAlias,
    UnknownSource,
    UnknownCriterion,
    UnknownFlag,
)


def refusal_of(visit: Visit, error: Exception) -> Refusal | None:
    """The refusal that an action's error is; None when it is none of a person's making."""
    match error:
        case Refusal():
            return error
        case InvalidPosting() | InvalidApplicationValue() | InvalidCriterion():
            return visit.unfit(error.field.partition(".")[0])
        case InvalidCompanyValue():
            return _unfit_company(visit, error)
        case error if isinstance(error, _NOWHERE):
            return Refusal(status=404, key="page.refused.gone")
        case ApplicationExists():
            where = f"/applications/{error.application.id}"
            return Refusal(status=409, key="page.refused.applied", where=where)
        case TransitionRefused():
            values = {
                "status": visit.t(f".cell.{error.application.current_status}"),
                "wanted": visit.t(f".cell.{error.wanted}"),
            }
            return Refusal(status=409, key=f"refusal.{error.refusal}", values=values)
        case ApplicationOvertaken():
            status = visit.t(f".cell.{error.application.current_status}")
            return Refusal(status=409, key="page.refused.moved", values={"status": status})
        case InterviewOvertaken() | PostingOvertaken():
            return Refusal(status=409, key="page.refused.overtaken")
        case RoundExists():
            taken = {"round": error.interview.round_number, "label": error.interview.label}
            return Refusal(status=409, key="error.round_exists", values=taken)
        case PostingExists():
            return Refusal(status=409, key="page.refused.posting", where=f"/postings/{error.posting_id}")
        case EditRefused():
            return Refusal(status=409, key=f"refusal.{error.refusal}")
        case _:
            return _of_followed(visit, error)


def _of_followed(visit: Visit, error: Exception) -> Refusal | None:
    match error:
        case CompanyExists():
            where = f"/companies/{error.company_id}"
            return Refusal(status=409, key="page.refused.company", values={"name": error.name}, where=where)
        case SourceKept():
            return Refusal(status=409, key=f"page.refused.kept.{error.kept}")
        case SourceFollowed():
            where = "/sources" if error.company_id is None else f"/companies/{error.company_id}"
            key = "page.refused.source_off" if error.disabled else "page.refused.source"
            return Refusal(status=409, key=key, where=where)
        case UnknownCategory():
            return visit.unfit("category", "empty")
        case CriterionExists():
            return Refusal(status=409, key="page.refused.criterion", values={"name": error.name})
        case CriteriaFull():
            return Refusal(status=409, key="page.refused.full", values={"limit": error.limit})
        case _:
            return None


def _unfit_company(visit: Visit, error: InvalidCompanyValue) -> Refusal:
    key = f"page.unfit.{error.unfit}"
    label = visit.t(f"field.{error.field}") if visit.has(f"field.{error.field}") else error.field
    return Refusal(status=422, key=key, values={"field": label, **error.values})
