"""The fields of `raw`, read by parsel, as a Scrapy spider does."""

from __future__ import annotations

from parsel import Selector, SelectorList

from tests.bench.reading.raw import Raw


def _first(found: SelectorList[Selector]) -> str:
    """The text of the first element, white space collapsed; empty when there is none."""
    return found[0].xpath("normalize-space()").get("") if found else ""


def _each(found: SelectorList[Selector]) -> list[str]:
    return [one.xpath("normalize-space()").get("") for one in found]


def saramin(page: Selector) -> list[Raw]:
    """The rows of Saramin's result list."""
    found = []
    for row in page.css("section.list_recruiting div.list_item"):
        number = row.attrib["id"].removeprefix("rec-")
        sectors, conditions = _each(row.css(".job_sector > span")), _each(row.css(".recruit_info p"))
        found.append(
            Raw(
                source_job_id=number,
                title=_first(row.css(".job_tit .str_tit")),
                url=f"https://www.saramin.co.kr/zf_user/jobs/view?rec_idx={number}",
                company=_first(row.css(".company_nm .str_tit")),
                deadline=_first(row.css(".support_detail .date")),
                tags=tuple(dict.fromkeys((*sectors, *conditions))),
                company_identifier=row.css("button.interested_corp::attr(csn)").get(""),
            )
        )
    return found
