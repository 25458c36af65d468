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
