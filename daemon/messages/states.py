"""How a source's day, a daily job and a snapshot stand: the same words on the page, in the shell and in the demo."""

TEXTS: dict[str, tuple[str, str]] = {
    # --- a source's day: cycle and legacy run (CycleStatus, RunStatus); NONE: it has neither ----------------------
    "state.NONE": ("시작 전", "not begun"),
    "state.NOT_STARTED": ("시작 전", "not begun"),
    "state.PENDING": ("대기", "waiting"),
    "state.RUNNING": ("수집 중", "collecting"),
    "state.SUCCESS": ("완료", "complete"),
    "state.FAILED": ("실패", "failed"),
    "state.BUDGET_EXHAUSTED": ("하루 한도까지", "day's limit"),
    # --- the daily jobs (JobName, JobStatus) ----------------------------------------------------------------------
    "daily.prepare": ("하루 준비", "Preparing the day"),
    "daily.legacy-company-bound": ("회사 게시판 수집 (v1)", "Company boards (v1)"),
    "daily.legacy-aggregators": ("채용 사이트 수집 (v1)", "Job boards (v1)"),
    "daily.deadline-sweep": ("지난 마감 정리", "Closing what is over"),
    "daily.dedup": ("같은 공고 묶기", "Grouping copies"),
    "daily.evaluation": ("기준에 맞추기", "Matching"),
    "daily.sla": ("09:00 기록", "The 09:00 snapshot"),
    "daily.notification": ("알림", "Messages"),
    "daily.seen-cleanup": ("임시 기록 정리", "Cleaning up"),
    "daily.RUNNING": ("하는 중", "running"),
    "daily.SUCCESS": ("마침", "done"),
    "daily.FAILED": ("실패", "failed"),
}
