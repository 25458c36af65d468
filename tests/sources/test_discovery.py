"""Which board an address, a page or a name leads to, and which addresses a person's site may have."""

from __future__ import annotations

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.company.rules import slug_guesses
from daemon.sources import rules
from daemon.sources.discovery import Board, board_named, boards_guessed, boards_in
from daemon.sources.executor import PAGE_BYTES, Executor, policy_of_named
from daemon.sources.model import BoardFinder, Fetched, NotFetched, Outcome, Permit, Platform, Request, SourceType
from daemon.sources.registry import ADAPTERS
from daemon.sources.rules import SiteAddress, SiteUnfit, is_public, permitted_target, site_address
from tests.sources.hostile import HostileSite
from tests.sources.plain_site import NOW, settings_for

GREENHOUSE, WOOWAHAN, INCRUIT = Platform.GREENHOUSE, Platform.WOOWAHAN, Platform.INCRUIT


# --- boards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "platform", "slug"),
    [
        ("https://boards.greenhouse.io/daangn", GREENHOUSE, "daangn"),
        ("https://boards.greenhouse.io/daangn/jobs/7726903003?gh_jid=1", GREENHOUSE, "daangn"),
        ("http://job-boards.greenhouse.io/moloco/", GREENHOUSE, "moloco"),
        ("https://job-boards.eu.greenhouse.io/sendbird", GREENHOUSE, "sendbird"),
        ("https://boards-api.greenhouse.io/v1/boards/krafton/jobs?content=true", GREENHOUSE, "krafton"),
        ("https://boards.greenhouse.io/embed/job_board/js?for=daangn", GREENHOUSE, "daangn"),
        ("https://boards.greenhouse.io/embed/job_app?token=1&for=daangn#x", GREENHOUSE, "daangn"),
        ("https://career.woowahan.com", WOOWAHAN, "woowahan"),
        ("https://career.woowahan.com/recruitment/R2401001/detail", WOOWAHAN, "woowahan"),
        ("https://recruit.incruit.com/wooribank/job/2610080014", INCRUIT, "wooribank"),
        ("https://RECRUIT.incruit.com/KHMC/", INCRUIT, "khmc"),
    ],
)
def test_an_address_of_a_platform_names_its_board(address: str, platform: Platform, slug: str) -> None:
    assert board_named(address) == Board(platform=platform, slug=slug)


@pytest.mark.parametrize(
    "address",
    [
        "https://about.daangn.com/jobs/?gh_jid=7726903003",
        "https://boards.greenhouse.io/",
        "https://boards.greenhouse.io/embed/job_board/js",
        "https://boards.greenhouse.io/embed/job_board/js?for=../x",
        "https://boards.greenhouse.io.evil.example/daangn",
        "https://evil.example/boards.greenhouse.io/daangn",
        "https://boards.greenhouse.io@evil.example/daangn",
        "https://app.greenhouse.io/daangn",
        "https://recruit.incruit.com/",
        "https://job.incruit.com/jobdb_info/jobpost.asp?job=1",
        "https://woowahan.com/",
        "http://[",
        "",
    ],
)
def test_any_other_address_names_none(address: str) -> None:
    assert board_named(address) is None


@given(st.text(max_size=200))
def test_no_text_breaks_the_recognition(text: str) -> None:
    for address in (text, f"https://{text}", f"https://boards.greenhouse.io/{text}"):
        board = board_named(address)
        if board is not None:
            adapter = ADAPTERS[board.platform]
            assert permitted_target(adapter.capabilities.compliance, adapter.list_request(board.target, None))


def test_every_platform_of_company_boards_knows_its_own_addresses() -> None:
    for platform, adapter in ADAPTERS.items():
        bound = adapter.capabilities.source_type is SourceType.COMPANY_BOUND
        assert isinstance(adapter, BoardFinder) is bound, platform
        if bound:
            slug = "woowahan" if platform is WOOWAHAN else "daangn"
            board = Board(platform=platform, slug=slug)
            assert board_named(board.base_url) == board
            assert board.base_url.startswith(f"https://{adapter.capabilities.compliance.host}/")


@pytest.mark.parametrize(
    "body",
    [
        '<a href="https://boards.greenhouse.io/daangn/jobs/1">채용</a>',
        '<script src="//boards.greenhouse.io/embed/job_board/js?for=daangn"></script>',
        "<iframe src='https://boards.greenhouse.io/embed/job_board?a=b&amp;for=daangn'>",
        '{"api":"https:\\/\\/boards-api.greenhouse.io\\/v1\\/boards\\/daangn\\/jobs"}',
        '{"api":"https:\\u002F\\u002Fboards-api.greenhouse.io\\u002Fv1\\u002fboards\\u002fdaangn"}',
        'fetch("https://BOARDS-API.greenhouse.io/v1/boards/daangn/jobs")',
    ],
)
def test_a_page_names_a_board_in_whatever_way_it_links_to_it(body: str) -> None:
    page = f"<html><p>//cdn.example/x.js</p>{body}</html>"
    for encoding in ("utf-8", "cp949"):
        assert boards_in(page.encode(encoding)) == (Board(platform=GREENHOUSE, slug="daangn"),)


def test_a_page_names_each_board_once_and_few_of_many() -> None:
    page = "".join(f'<a href="https://boards.greenhouse.io/c{number % 40}">' for number in range(200)).encode()
    assert [board.slug for board in boards_in(page)] == ["c0", "c1", "c2", "c3", "c4"]


@pytest.mark.parametrize("piece", [b"/", b"//", b"//a", b"\\/", b"&amp;", b"//a.b/c", b"//boards.greenhouse.io", b"\0"])
def test_a_hostile_page_is_looked_through_once(piece: bytes) -> None:
    """A walk that is not linear does not end here."""
    assert boards_in(piece * (PAGE_BYTES // len(piece))) == ()


@pytest.mark.parametrize(
    ("name", "host", "guesses"),
    [
        ("Moloco Inc.", None, ("moloco",)),
        ("Seoul Robotics", None, ("seoulrobotics", "seoul-robotics")),
        ("당근마켓 (Daangn)", None, ("daangn",)),
        ("당근마켓", None, ()),
        ("당근마켓", "about.daangn.com", ("daangn",)),
        ("당근마켓", "www.daangn.co.kr", ("daangn",)),
        ("토스", "toss.im", ("toss",)),
        ("어느 회사", "some-corp.notion.site", ("some-corp",)),
        ("어느 회사", "example.ninehire.site", ("example",)),
        ("주식회사 크래프톤 KRAFTON", "krafton.com", ("krafton",)),
        ("3", "8.8.8.8", ()),
        ("x" * 60, None, ()),
    ],
)
def test_slugs_are_guessed_from_latin_names_and_domains(name: str, host: str | None, guesses: tuple[str, ...]) -> None:
    assert slug_guesses(name, host) == guesses


@pytest.mark.parametrize("name", ["우아한형제들", "배민", "woowahan"])
def test_the_one_company_of_a_platform_is_known_by_its_names(name: str) -> None:
    assert Board(platform=WOOWAHAN, slug="woowahan") in boards_guessed(name, ())
    assert boards_guessed("당근마켓", ()) == ()


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0",
        "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "localhost", "",
    ],
)  # fmt: skip
def test_addresses_that_are_not_of_the_public_internet_are_known(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_known(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("given_", "url"),
    [
        ("daangn.com", "https://daangn.com"),
        (" https://about.daangn.com/jobs/?a=b#top ", "https://about.daangn.com/jobs/?a=b"),
        ("//boards.greenhouse.io/daangn", "https://boards.greenhouse.io/daangn"),
        ("http://Daangn.com:80/x", "http://daangn.com/x"),
        ("daangn.com:443/x", "https://daangn.com/x"),
        ("https://당근.com/채용", "https://xn--6i0bp8g.com/채용"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("https://[2001:4860:4860::8888]/jobs", "https://[2001:4860:4860::8888]/jobs"),
        ("https://daangn.com/".ljust(2000, "x"), "https://daangn.com/".ljust(2000, "x")),
    ],
)
def test_an_address_is_understood_as_a_person_writes_it(given_: str, url: str) -> None:
    found = site_address(given_)
    assert isinstance(found, SiteAddress)
    assert found.url == url
    policy = ADAPTERS[GREENHOUSE].capabilities.compliance
    assert found.host != policy.host


@pytest.mark.parametrize(
    ("given_", "unfit"),
    [
        ("", SiteUnfit.NOT_AN_ADDRESS),
        ("https://", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a b.com", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com\\@127.0.0.1/", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/\nHost: x", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a..com", SiteUnfit.NOT_AN_ADDRESS),
        ("https://\u2024", SiteUnfit.NOT_AN_ADDRESS),
        ("http://[::1", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/".ljust(2001, "x"), SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/x/../y", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/.;0~x", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/%2e%2e/y", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/%00", SiteUnfit.NOT_AN_ADDRESS),
        ("https://a.com/%25252525252e", SiteUnfit.NOT_AN_ADDRESS),
        ("ftp://a.com", SiteUnfit.NOT_WEB),
        ("file:///etc/passwd", SiteUnfit.NOT_WEB),
        ("javascript:alert(1)", SiteUnfit.NOT_WEB),
        ("https://a.com:8443", SiteUnfit.NOT_WEB),
        ("http://a.com:3306", SiteUnfit.NOT_WEB),
        ("https://user:secret@a.com", SiteUnfit.NOT_WEB),
        ("http://127.0.0.1", SiteUnfit.NOT_PUBLIC),
        ("http://127.0.0.1.", SiteUnfit.NOT_PUBLIC),
        ("http://127.1", SiteUnfit.NOT_PUBLIC),
        ("http://2130706433", SiteUnfit.NOT_PUBLIC),
        ("http://0x7f000001", SiteUnfit.NOT_PUBLIC),
        ("http://0x7f.1", SiteUnfit.NOT_PUBLIC),
        ("http://127.0.0.0x1", SiteUnfit.NOT_PUBLIC),
        ("http://a.b.1", SiteUnfit.NOT_PUBLIC),
        ("http://１２７.0.0.1", SiteUnfit.NOT_PUBLIC),
        ("http://[::1]", SiteUnfit.NOT_PUBLIC),
        ("http://[::ffff:127.0.0.1]", SiteUnfit.NOT_PUBLIC),
        ("http://169.254.169.254/latest/meta-data/", SiteUnfit.NOT_PUBLIC),
        ("http://127.0.0.1\u2024", SiteUnfit.NOT_PUBLIC),
        ("http://localhost", SiteUnfit.NOT_PUBLIC),
        ("http://localhost\u2024", SiteUnfit.NOT_PUBLIC),
        ("http://a.localhost", SiteUnfit.NOT_PUBLIC),
        ("http://printer.local", SiteUnfit.NOT_PUBLIC),
        ("http://metadata.google.internal", SiteUnfit.NOT_PUBLIC),
        ("http://intranet", SiteUnfit.NOT_PUBLIC),
    ],
)
def test_an_address_that_is_not_asked_says_why(given_: str, unfit: SiteUnfit) -> None:
    assert site_address(given_) is unfit


@example("\u2024")
@given(st.text(max_size=60) | st.text(st.sampled_from("./%25eE0;?#~a다&="), max_size=20))
def test_whatever_is_given_what_may_be_asked_is_permitted_as_it_stands(text: str) -> None:
    for given_ in (text, f"https://{text}", f"http://{text}.com/{text}"):
        found = site_address(given_)
        if isinstance(found, SiteAddress):
            again = site_address(found.url)
            assert isinstance(again, SiteAddress)
            assert again.host == found.host
            permitted_target(policy_of_named(found.host), Request(url=found.url))


# --- the connection --------------------------------------------------------------------------------------------------


class Names(AbstractResolver):
    """A name server of the test's own: each question takes the next answer, the last one for ever."""

    def __init__(self, port: int, *answers: list[str]) -> None:
        self.port = port
        self.answers = list(answers)

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            ResolveResult(hostname=host, host=address, port=self.port, family=2, proto=0, flags=0)
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing to close."""


async def open_page(executor: Executor, address: str) -> Fetched | NotFetched:
    found = site_address(address)
    assert isinstance(found, SiteAddress)
    async with executor.named_site(found.host) as session:
        return await session.fetch(Request(url=found.url), Permit(host=found.host), lambda: NOW)


async def test_a_name_that_leads_to_a_private_address_gets_no_connection(site: HostileSite) -> None:
    executor = Executor(settings_for(None), resolver=Names(site.port, ["127.0.0.1"]))
    answer = await open_page(executor, "http://careers.example.com/ok")
    assert isinstance(answer, NotFetched)
    assert (answer.outcome, answer.reason) == (Outcome.BLOCKED, "not a public address: nothing was sent")
    assert site.hits == []


async def test_the_address_that_is_connected_to_is_the_one_that_was_looked_at(site: HostileSite) -> None:
    """DNS rebinding: a public answer first and a private one afterwards gain nothing."""
    asked: list[str] = []

    def look(address: str) -> bool:
        asked.append(address)
        return rules.is_public(address)

    names = Names(site.port, ["127.0.0.2", "127.0.0.1"], ["127.0.0.1"])
    executor = Executor(settings_for(None), may_reach=look, resolver=names)
    for _ in range(2):
        answer = await open_page(executor, "http://careers.example.com/ok")
        assert isinstance(answer, NotFetched)
    assert asked[:2] == ["127.0.0.2", "127.0.0.1"]
    assert asked[-1] == "127.0.0.1"
    assert site.hits == []


async def test_the_systems_own_names_for_this_machine_get_no_connection(site: HostileSite) -> None:
    executor = Executor(settings_for(None))
    async with executor.named_site("localhost") as session:
        answer = await session.fetch(Request(url="http://localhost/ok"), Permit(host="localhost"), lambda: NOW)
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.BLOCKED
    assert site.hits == []


@pytest.mark.parametrize(
    ("play", "seconds", "outcome"),
    [
        ("bomb-gzip", 10, Outcome.TOO_LARGE),
        ("drip-body", 0.3, Outcome.TIMEOUT),
        ("not-found", 10, Outcome.NOT_FOUND),
    ],
)
async def test_a_page_that_a_person_named_is_read_within_the_limits_of_every_request(
    site: HostileSite, play: str, seconds: float, outcome: Outcome
) -> None:
    settings = settings_for(None, request_timeout_seconds=seconds)
    executor = Executor(settings, may_reach=lambda _: True, resolver=Names(site.port, ["127.0.0.1"]))
    answer = await open_page(executor, f"http://careers.example.com/{play}")
    assert isinstance(answer, NotFetched)
    assert answer.outcome is outcome
    (hit,) = site.hits
    assert hit.headers["host"] == "careers.example.com"
    assert hit.headers["user-agent"].startswith("gonggo/")


async def test_a_redirect_of_a_named_page_is_told_and_not_followed(site: HostileSite) -> None:
    site.answers("/jobs", b"", "Location: http://127.0.0.1/admin", status="302 Found")
    executor = Executor(settings_for(None), may_reach=lambda _: True, resolver=Names(site.port, ["127.0.0.1"]))
    answer = await open_page(executor, "http://careers.example.com/jobs")
    assert isinstance(answer, NotFetched)
    assert (answer.outcome, answer.location) == (Outcome.REDIRECTED, "http://127.0.0.1/admin")
    assert len(site.hits) == 1
