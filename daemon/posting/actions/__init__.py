"""What happens to stored postings without asking any site."""

from daemon.posting.actions.deadlines import close_passed_deadlines
from daemon.posting.actions.deduplicate import adopt_aliased, deduplicate
from daemon.posting.actions.personal import edit_posting, register_manual

__all__ = ["adopt_aliased", "close_passed_deadlines", "deduplicate", "edit_posting", "register_manual"]
