"""The sites: a new one adds a file in `sites/` and its line here."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.sources.model import Platform, SourceAdapter
from daemon.sources.sites import (
    greenhouse,
    incruit,
    jobkorea,
    jumpit,
    remember,
    saramin,
    surfit,
    wanted,
    woowahan,
)

ADAPTERS: Mapping[Platform, SourceAdapter] = {
    Platform.GREENHOUSE: greenhouse.ADAPTER,
    Platform.WOOWAHAN: woowahan.ADAPTER,
    Platform.INCRUIT: incruit.ADAPTER,
    Platform.SARAMIN: saramin.ADAPTER,
    Platform.JUMPIT: jumpit.ADAPTER,
    Platform.WANTED: wanted.ADAPTER,
    Platform.REMEMBER: remember.ADAPTER,
    Platform.JOBKOREA: jobkorea.ADAPTER,
    Platform.SURFIT: surfit.ADAPTER,
}


def adapter_of(platform: Platform) -> SourceAdapter:
    """The adapter of `platform`."""
    return ADAPTERS[platform]
