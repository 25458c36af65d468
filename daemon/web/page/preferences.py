"""What a browser keeps for the person: language, light or dark, and that they have shown the token."""

from __future__ import annotations

import hmac
from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from daemon.web.guard import SESSION_COOKIE, session_of
from daemon.web.page.visit import KEPT_SECONDS, LANGUAGE_COOKIE, THEME_COOKIE, Form, Refusal, Visit, keep

SESSION_SECONDS = 30 * 24 * 3600
"""After that the token is asked for again."""


class Choice(Form):
    """What the foot of every page offers."""

    language: Literal["ko", "en"] | None = None
    theme: Literal["light", "dark", "auto"] | None = None
    back: Annotated[str, Field(max_length=2000)] = "/"


class Token(Form):
    """What opens the page where a token is set."""

    token: Annotated[str, Field(max_length=1000)]


async def choose(visit: Visit) -> web.Response:
    """Keep the language or the colours, and go back to where the person was."""
    chosen = await visit.form(Choice)
    response = visit.leave(_own_path(chosen.back))
    if chosen.language is not None:
        keep(response, LANGUAGE_COOKIE, chosen.language, KEPT_SECONDS, visit.request)
    if chosen.theme == "auto":
        response.del_cookie(THEME_COOKIE)
    elif chosen.theme is not None:
        keep(response, THEME_COOKIE, chosen.theme, KEPT_SECONDS, visit.request)
    return response


def _own_path(back: str) -> str:
    """A path of ours: what browsers may take for another host (`//evil`, `/\\evil`) is none."""
    own = back.startswith("/") and not back.startswith("//") and "\\" not in back and back.isprintable()
    return back if own else "/"


async def show_sign_in(visit: Visit) -> web.Response:
    """The form that asks for the token."""
    return visit.show("sign_in.html", visit.web.db.clock.now(), back="/")


async def sign_in(visit: Visit) -> web.Response:
    """Take the token, and let this browser in until it is another one."""
    given = (await visit.form(Token)).token.strip()
    wanted = visit.web.settings.api_token
    response = visit.leave("/")
    if wanted is not None:
        token = wanted.get_secret_value()
        if not hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode()):
            raise Refusal(status=403, key="page.refused.token")
        keep(response, SESSION_COOKIE, session_of(token), SESSION_SECONDS, visit.request)
    return response
