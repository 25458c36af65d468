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


def incruit(page: Selector) -> list[Raw]:
    """The cards of a company's page at Incruit; those that are closed are left out."""
    found = []
    for card in page.css(".list-item-box li"):
        if _first(card.css(".state")) == "마감":
            continue
        address = card.css("a::attr(href)").get("").removeprefix("//recruit.incruit.com/")
        slug, _, number = address.partition("/job/")
        found.append(
            Raw(
                source_job_id=number,
                title=_first(card.css(".title")),
                url=f"https://recruit.incruit.com/{slug}/job/{number}",
                company="",
                deadline=_first(card.css(".date")).rpartition("~")[2],
                tags=(),
                company_identifier="",
            )
        )
    return found


def jobkorea(page: Selector) -> list[Raw]:
    """The rows of JobKorea's list."""
    found = []
    for row in page.css("tr.devloopArea"):
        number = row.attrib["data-gno"]
        conditions = _each(row.css("p.etc span.cell"))
        keywords = [word.strip() for word in _first(row.css("p.dsc")).split(",")]
        found.append(
            Raw(
                source_job_id=number,
                title=_first(row.css("td.tplTit strong a")),
                url=f"https://www.jobkorea.co.kr/Recruit/GI_Read/{number}",
                company=_first(row.css("td.tplCo a.link")),
                deadline=row.css("button[data-brazeinfo]::attr(data-brazeinfo)").get("").split("|")[-3]
                if _first(row.css("span.date")) != "상시채용"
                else "",
                tags=tuple(dict.fromkeys(tag for tag in (*conditions, *keywords) if tag)),
                company_identifier=row.css("td.tplCo a.link::attr(href)").get("").rpartition("/")[2],
            )
        )
    return found
