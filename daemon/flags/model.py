"""The switches of risky functions (seed 001, Release Scenario; seed 000, Dark deploy 및 전환), and two of taste."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class FlagKey(StrEnum):
    """The flags there are; all start off."""

    AUTO_CLOSE = "posting.auto-close"
    DISCORD_DISPATCH = "notification.discord-dispatch"
    CROSS_SOURCE_DEDUP = "posting.cross-source-dedup"
    AGGREGATOR_COLLECTION = "aggregator.collection"
    COLLECTION_DISPATCH_V2 = "posting.collection-dispatch-v2"
    DEADLINE_D1 = "notification.deadline-d1"
    PERMANENT_REMINDER = "notification.permanent-reminder"

    @property
    def is_taste(self) -> bool:
        """Whether it is a matter of taste (seed 001's P1 notifications): `gonggo init --activate` leaves it alone."""
        return self in (FlagKey.DEADLINE_D1, FlagKey.PERMANENT_REMINDER)

    @property
    def description(self) -> str:
        """What switching it on does, for a person, in Korean."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    FlagKey.AUTO_CLOSE: (
        "두 번 연속 보이지 않거나 마감일이 지난 공고를 자동으로 마감합니다. 끄면 미발견 횟수만 세고 마감하지 않습니다."
    ),
    FlagKey.DISCORD_DISPATCH: "매일 09:00에 알림을 디스코드로 보냅니다. 끄면 아무것도 보내지 않습니다.",
    FlagKey.CROSS_SOURCE_DEDUP: (
        "매일 08:30에 여러 소스의 같은 공고를 하나로 묶어 대표 공고만 보여 줍니다. 끄면 모두 대표로 다룹니다."
    ),
    FlagKey.AGGREGATOR_COLLECTION: (
        "애그리게이터(사람인·점핏·원티드·리멤버·잡코리아·서핏)를 수집하고 발견한 회사를 등록합니다."
        " 끄면 회사별 소스만 수집합니다."
    ),
    FlagKey.COLLECTION_DISPATCH_V2: (
        "내구성 있는 수집 엔진(v2)이 하루 수집을 나누어 이어 가며 09:00 SLA를 기록합니다."
        " 끄면 기존 방식(v1)으로 수집합니다."
    ),
    FlagKey.DEADLINE_D1: "관심 회사의 매칭 공고가 내일 마감되면 09:00에 알립니다. 마감일이 바뀌면 다시 알립니다.",
    FlagKey.PERMANENT_REMINDER: "관심 회사의 매칭 상시채용 공고를 7일마다 다시 알립니다.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FlagState:
    """One flag as it stands in the database."""

    flag_key: FlagKey
    enabled: bool
    description: str
    """What switching it on does, for a person, in Korean."""
    switched_at: datetime | None
    """Its last switch, UTC; null when it was never switched."""


class UnknownFlag(Exception):
    """No flag has this name."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.known = tuple(str(known) for known in FlagKey)
        super().__init__(f"unknown flag {key!r}; the flags are {', '.join(self.known)}")
