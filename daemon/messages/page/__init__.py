"""What the page says, part by part. Keys begin with `page.`; templates leave that out."""

from daemon.messages.page import applications, common, companies, criteria, operations, postings, today

TEXTS: dict[str, tuple[str, str]] = {
    **common.TEXTS,
    **today.TEXTS,
    **postings.TEXTS,
    **applications.TEXTS,
    **companies.TEXTS,
    **criteria.TEXTS,
    **operations.TEXTS,
}
