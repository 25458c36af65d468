"""Every table of the product on one `metadata`: import this where the whole schema is meant."""

from daemon.application import tables as application
from daemon.collection import tables as collection
from daemon.company import tables as company
from daemon.db import metadata
from daemon.flags import tables as flags
from daemon.matching import tables as matching
from daemon.notification import tables as notification
from daemon.posting import tables as posting
from daemon.schedule import tables as schedule

__all__ = [
    "application",
    "collection",
    "company",
    "flags",
    "matching",
    "metadata",
    "notification",
    "posting",
    "schedule",
]
