"""What is said of applications and interviews."""

TEXTS: dict[str, tuple[str, str]] = {
    "cell.APPLIED": ("지원함", "applied"),
    "cell.DOCUMENT_SCREENING": ("서류 전형", "document screening"),
    "cell.INTERVIEWING": ("면접 진행", "interviewing"),
    "cell.OFFERED": ("처우 협의", "offered"),
    "cell.ACCEPTED": ("입사 확정", "accepted"),
    "cell.REJECTED": ("불합격", "rejected"),
    "cell.WITHDRAWN": ("지원 철회", "withdrawn"),
    "cell.OFFER_DECLINED": ("입사 포기", "offer declined"),
}
