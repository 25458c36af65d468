"""The nine sites, each in its own shape. Facts come from stored answers of the real ones; contents are invented."""

from __future__ import annotations

from daemon.demo.exchange import Site
from daemon.demo.sites.greenhouse import Greenhouse
from daemon.demo.sites.incruit import Incruit
from daemon.demo.sites.jobkorea import JobKorea
from daemon.demo.sites.jumpit import Jumpit
from daemon.demo.sites.remember import Remember
from daemon.demo.sites.saramin import Saramin
from daemon.demo.sites.surfit import Surfit
from daemon.demo.sites.wanted import Wanted
from daemon.demo.sites.woowahan import Woowahan
from daemon.sources.model import Platform

_ALL: tuple[Site, ...] = (
    Greenhouse(),
    Woowahan(),
    Incruit(),
    Saramin(),
    Jumpit(),
    Wanted(),
    Remember(),
    JobKorea(),
    Surfit(),
)

SITES: dict[Platform, Site] = {site.platform: site for site in _ALL}
