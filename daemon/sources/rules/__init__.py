"""What may be asked of a site, and what its answer's outside says. Pure: no I/O, no clock."""

from daemon.sources.rules.answering import (
    block_page,
    challenge_header,
    is_json,
    is_markup,
    leads_to_login,
    outcome_of_status,
    redirect_target,
    retry_after,
)
from daemon.sources.rules.asking import (
    DEFAULT_PORTS,
    LEAST_DELAY,
    ComplianceViolation,
    Target,
    host_key,
    may_follow,
    path_is_allowed,
    permitted_target,
    request_delay,
    resolved_path,
)
from daemon.sources.rules.reaching import SiteAddress, SiteUnfit, is_public, site_address

__all__ = [
    "DEFAULT_PORTS",
    "LEAST_DELAY",
    "ComplianceViolation",
    "SiteAddress",
    "SiteUnfit",
    "Target",
    "block_page",
    "challenge_header",
    "host_key",
    "is_json",
    "is_markup",
    "is_public",
    "leads_to_login",
    "may_follow",
    "outcome_of_status",
    "path_is_allowed",
    "permitted_target",
    "redirect_target",
    "request_delay",
    "resolved_path",
    "retry_after",
    "site_address",
]
