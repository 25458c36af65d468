"""The sources that the demo follows, and any number of small ones for tests of many."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.sources.model import Platform


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoSource:
    """A source to register: a company's board (`slug`) or a search (`category_code`, `keyword`)."""

    platform: Platform
    slug: str = ""
    category_code: str = ""
    keyword: str = ""
    company_name: str = ""
    """The company to register the board for; empty for a search."""

    @property
    def board(self) -> str:
        """The board's code in the world."""
        return self.slug or self.category_code


def demo_sources() -> tuple[DemoSource, ...]:
    """The demo's sources: two companies on Greenhouse, Woowahan, two on Incruit, and searches on six boards."""
    boards = (
        (Platform.GREENHOUSE, "daangn", "당근마켓"),
        (Platform.GREENHOUSE, "krafton", "크래프톤"),
        (Platform.WOOWAHAN, "woowahan", "우아한형제들"),
        (Platform.INCRUIT, "khmc", "경희의료원"),
        (Platform.INCRUIT, "wooribank", "우리은행"),
    )
    searches = (
        (Platform.SARAMIN, "84"),
        (Platform.SARAMIN, "92"),
        (Platform.JUMPIT, "1"),
        (Platform.JUMPIT, "2"),
        (Platform.WANTED, "518"),
        (Platform.REMEMBER, "310"),
        (Platform.JOBKOREA, "10031"),
        (Platform.JOBKOREA, "10026"),
        (Platform.SURFIT, "all"),
    )
    return tuple(
        DemoSource(platform=platform, slug=slug, company_name=company) for platform, slug, company in boards
    ) + tuple(DemoSource(platform=platform, category_code=code) for platform, code in searches)


def many_sources(
    count: int, platforms: tuple[Platform, ...] = (Platform.GREENHOUSE, Platform.INCRUIT)
) -> tuple[DemoSource, ...]:
    """`count` small boards `s000`, `s001`, …, dealt out over `platforms` (Greenhouse and Incruit have such boards)."""
    return tuple(
        DemoSource(
            platform=platforms[index % len(platforms)], slug=f"s{index:03d}", company_name=f"소규모회사{index:03d}"
        )
        for index in range(count)
    )
