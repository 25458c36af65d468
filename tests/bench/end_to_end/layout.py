"""How much there is to collect, and where: known to the site, to the clients and to whoever measures them."""

from __future__ import annotations

from urllib.parse import urlencode

LIST_PATH = "/zf_user/jobs/list/job-category"
CATEGORIES = ("87", "136", "235", "272", "243", "236", "99", "100", "82", "83")
PAGE_SIZE = 100
AT_ONCE = 10
"""Requests, slices or pages in hand at once, whoever works: as many as the daemon has workers by default."""


def addresses(origin: str, pages: int) -> list[str]:
    """All list pages, `pages` of each category; the first ones of all come first."""
    numbers = [(category, page) for page in range(1, pages + 1) for category in CATEGORIES]
    return [
        f"{origin}{LIST_PATH}?{urlencode({'cat_kewd': category, 'page': page, 'page_count': PAGE_SIZE})}"
        for category, page in numbers
    ]
