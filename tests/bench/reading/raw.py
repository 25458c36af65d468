"""What a careful person would write by hand to read the HTML lists with selectolax, without anything around it.

Each gives the fields that the product's adapter reads, as the page shows them, white space collapsed. No value is
checked, no deadline understood, no signature made.
"""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode


@dataclass(frozen=True, kw_only=True, slots=True)
class Raw:
    """One posting of a list, in the words of the page."""

    source_job_id: str
    title: str
    url: str
    company: str
    deadline: str
    tags: tuple[str, ...]
    company_identifier: str


def _text(node: LexborNode | None) -> str:
    return "" if node is None else " ".join(node.text().split())


def _value(node: LexborNode | None, name: str) -> str:
    return "" if node is None else node.attrs.get(name) or ""


def saramin(body: bytes) -> list[Raw]:
    """The rows of Saramin's result list."""
    found = []
    for row in LexborHTMLParser(body).css("section.list_recruiting div.list_item"):
        number = _value(row, "id").removeprefix("rec-")
        sectors = [_text(sector) for sector in row.css(".job_sector > span")]
        conditions = [_text(condition) for condition in row.css(".recruit_info p")]
        found.append(
            Raw(
                source_job_id=number,
                title=_text(row.css_first(".job_tit .str_tit")),
                url=f"https://www.saramin.co.kr/zf_user/jobs/view?rec_idx={number}",
                company=_text(row.css_first(".company_nm .str_tit")),
                deadline=_text(row.css_first(".support_detail .date")),
                tags=tuple(dict.fromkeys((*sectors, *conditions))),
                company_identifier=_value(row.css_first("button.interested_corp"), "csn"),
            )
        )
    return found


def incruit(body: bytes) -> list[Raw]:
    """The cards of a company's page at Incruit; those that are closed are left out."""
    found = []
    for card in LexborHTMLParser(body.decode("cp949")).css(".list-item-box li"):
        if _text(card.css_first(".state")) == "마감":
            continue
        slug, _, number = _value(card.css_first("a"), "href").removeprefix("//recruit.incruit.com/").partition("/job/")
        found.append(
            Raw(
                source_job_id=number,
                title=_text(card.css_first(".title")),
                url=f"https://recruit.incruit.com/{slug}/job/{number}",
                company="",
                deadline=_text(card.css_first(".date")).rpartition("~")[2],
                tags=(),
                company_identifier="",
            )
        )
    return found


def jobkorea(body: bytes) -> list[Raw]:
    """The rows of JobKorea's list."""
    found = []
    for row in LexborHTMLParser(body).css("tr.devloopArea"):
        number = _value(row, "data-gno")
        company = row.css_first("td.tplCo a.link")
        conditions = [_text(cell) for cell in row.css("p.etc span.cell")]
        keywords = [word.strip() for word in _text(row.css_first("p.dsc")).split(",")]
        found.append(
            Raw(
                source_job_id=number,
                title=_text(row.css_first("td.tplTit strong a")),
                url=f"https://www.jobkorea.co.kr/Recruit/GI_Read/{number}",
                company=_text(company),
                deadline=_value(row.css_first("button[data-brazeinfo]"), "data-brazeinfo").split("|")[-3]
                if _text(row.css_first("span.date")) != "상시채용"
                else "",
                tags=tuple(dict.fromkeys(tag for tag in (*conditions, *keywords) if tag)),
                company_identifier=_value(company, "href").rpartition("/")[2],
            )
        )
    return found
