"""Whether the machine does its work: today, the last 30 days, jobs, hosts, messages, flags."""

from __future__ import annotations

from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from daemon.clock import business_date
from daemon.flags.actions import switch_flag
from daemon.notification.actions.views import list_dispatches
from daemon.notification.actions.webhook import NoWebhook, unpark_webhook
from daemon.notification.model import DispatchStatus
from daemon.operations import actions as views
from daemon.web.page.grid import DAYS, SQUARE, STEP, rows_of
from daemon.web.page.visit import Form, Refusal, Visit

SNAPSHOTS = 14
"""Days of which the 09:00 snapshot is shown."""

FAILURES = 20
"""Failed messages that are shown."""


async def show_operations(visit: Visit) -> web.Response:
    """Everything there is to know of the machine, on one page."""
    db = visit.web.db
    machine = await views.machine(db, DAYS, SNAPSHOTS)
    found = machine.today
    return visit.show(
        "operations.html",
        found.now,
        found=found,
        history=machine.outcomes,
        rows=rows_of(machine.outcomes.days, business_date(found.now)),
        width=DAYS * STEP - (STEP - SQUARE),
        height=SQUARE,
        health={one.job_source_id: one for one in machine.health.sources},
        snapshots=machine.snapshots,
        hosts=machine.host_waits,
        failures=await list_dispatches(db, visit.web.settings, DispatchStatus.FAILED, DAYS, 0, FAILURES),
        progress=visit.web.progress,
    )


class Switched(Form):
    """How a flag is to stand."""

    flag: Annotated[str, Field(max_length=100)]
    to: Literal["on", "off"]


async def switch(visit: Visit) -> web.Response:
    """Switch a flag, for all instances, from now on."""
    entered = await visit.form(Switched)
    await switch_flag(visit.web.db, entered.flag, entered.to == "on")
    return visit.leave("/operations#flags", f"flag_{entered.to}")


async def unpark(visit: Visit) -> web.Response:
    """Use a parked webhook again, once the person has seen to it."""
    try:
        await unpark_webhook(visit.web.db, visit.web.settings)
    except NoWebhook as error:
        raise Refusal(status=409, key="error.webhook_none") from error
    return visit.leave("/operations#messages", "unparked")
