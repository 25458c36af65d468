"""What is said of applications, interviews and the calendar."""

TEXTS: dict[str, tuple[str, str]] = {
    # --- statuses and results -------------------------------------------------------------------------------------
    "cell.APPLIED": ("지원함", "applied"),
    "cell.DOCUMENT_SCREENING": ("서류 전형", "document screening"),
    "cell.INTERVIEWING": ("면접 진행", "interviewing"),
    "cell.OFFERED": ("처우 협의", "offered"),
    "cell.ACCEPTED": ("입사 확정", "accepted"),
    "cell.REJECTED": ("불합격", "rejected"),
    "cell.WITHDRAWN": ("지원 철회", "withdrawn"),
    "cell.OFFER_DECLINED": ("입사 포기", "offer declined"),
    "cell.OPEN": ("모집 중", "open"),
    "cell.CLOSED": ("마감", "closed"),
    "result.PENDING": ("결과 대기", "pending"),
    "result.PASSED": ("합격", "passed"),
    "result.FAILED": ("불합격", "failed"),
    # --- columns --------------------------------------------------------------------------------------------------
    "column.application": ("지원", "Application"),
    "column.company": ("회사", "Company"),
    "column.posting": ("공고", "Posting"),
    "column.address": ("주소", "Address"),
    "column.posting_state": ("공고 상태", "Posting is"),
    "column.rejected_at": ("탈락 단계", "Rejected at"),
    "column.applied_at": ("지원한 때", "Applied at"),
    "column.moved_at": ("최근 변경", "Last change"),
    "column.memo": ("메모", "Note"),
    "column.history": ("이력", "History"),
    "column.interviews": ("면접", "Interviews"),
    "column.at": ("때", "At"),
    "column.round": ("회차", "Round"),
    "column.interview": ("면접", "Interview"),
    # --- help -----------------------------------------------------------------------------------------------------
    "help.apply": ("공고에 지원했음을 기록합니다.", "Record that you applied for a posting."),
    "help.application": ("지원 내역을 보고 상태를 바꿉니다.", "See your applications and move them on."),
    "help.application list": ("지원 내역을 보여 줍니다.", "Show your applications."),
    "help.application show": (
        "지원 하나의 이력과 면접을 보여 줍니다.",
        "Show one application with its history and interviews.",
    ),
    "help.application move": ("지원 상태를 바꿉니다.", "Move an application to another status."),
    "help.interview": ("면접을 기록합니다.", "Record interviews."),
    "help.interview add": ("면접 회차를 추가합니다.", "Add a round of interviews."),
    "help.interview set": (
        "면접의 일시, 결과, 메모, 이름을 바꿉니다. 빈 값은 지웁니다.",
        "Change date, result, note or name of an interview; an empty value takes it away.",
    ),
    "help.apply --at": ("지원한 때(ISO 8601, 한국 시간), 기본은 지금", "When (ISO 8601, Korean time). Default: now"),
    "help.interview add --at": ("면접 일시(ISO 8601, 한국 시간)", "When it is (ISO 8601, Korean time)"),
    "help.interview set --at": ("면접 일시(ISO 8601, 한국 시간)", "When it is (ISO 8601, Korean time)"),
    "help.--memo": ("메모", "Note"),
    "help.--result": ("결과: PENDING, PASSED, FAILED", "Result: PENDING, PASSED, FAILED"),
    "help.--label": ("면접의 이름", "Name of the interview"),
    "help.--company": ("이 회사의 지원만 (회사 번호)", "Only at this company (its id)"),
    "help.POSTING": ("공고 번호", "Posting id"),
    "help.APPLICATION": ("지원 번호 (gonggo application list)", "Application id (gonggo application list)"),
    "help.STATUS": (
        "상태 (예: INTERVIEWING 또는 면접 진행)",
        "Status, such as INTERVIEWING",
    ),
    "help.ROUND": ("몇 번째 면접인지, 1부터", "Which interview it is, from 1"),
    "help.LABEL": ("면접의 이름 (예: 기술면접)", "Name of the interview"),
    # --- results --------------------------------------------------------------------------------------------------
    "application.created": (
        "지원을 기록했습니다: 지원 {application_id} (공고 {posting_id})",
        "Recorded: application {application_id} (posting {posting_id})",
    ),
    "application.moved": ("지원 {application_id}: {status}", "Application {application_id}: {status}"),
    "application.next": ("다음에 갈 수 있는 상태: {statuses}", "It may be moved to: {statuses}"),
    "application.ended": ("끝난 지원입니다.", "The application has ended."),
    "application.none": (
        "지원 내역이 없습니다. 'gonggo apply 공고번호'로 기록하세요.",
        "No applications yet: record one with 'gonggo apply POSTING'.",
    ),
    "application.more": ("모두 {total}건 중 {shown}건을 보였습니다.", "Shown {shown} of {total}."),
    "application.title": (
        "지원 {application_id}: {company} - {title}",
        "Application {application_id}: {company} - {title}",
    ),
    "application.posting": ("공고 {posting_id} ({state}) {address}", "Posting {posting_id} ({state}) {address}"),
    "application.memo": ("메모: {memo}", "Note: {memo}"),
    "application.rejected_at": ("탈락 단계: {stage}", "Rejected at: {stage}"),
    "interview.added": (
        "면접을 기록했습니다: 지원 {application_id}의 {round}회차 {label}",
        "Recorded: round {round} of application {application_id}, {label}",
    ),
    "interview.saved": (
        "면접을 고쳤습니다: 지원 {application_id}의 {round}회차 {label}",
        "Saved: round {round} of application {application_id}, {label}",
    ),
    # --- refusals -------------------------------------------------------------------------------------------------
    "error.posting_unknown": ("없는 공고입니다: {posting_id}", "There is no posting {posting_id}"),
    "error.application_unknown": (
        "없는 지원입니다: {application_id}. 'gonggo application list'로 확인하세요.",
        "There is no application {application_id}: see 'gonggo application list'.",
    ),
    "error.application_exists": (
        "이미 지원한 공고입니다: 지원 {application_id} ({status})",
        "You have applied already: application {application_id} ({status})",
    ),
    "error.application_status": (
        "알 수 없는 상태입니다: {value}. 쓸 수 있는 상태: {statuses}",
        "Unknown status: {value}. Known are {statuses}",
    ),
    "error.application_overtaken": (
        "그 사이에 상태가 바뀌었습니다: {status}. 다시 확인하세요.",
        "It was moved meanwhile: {status}. Look again.",
    ),
    "error.interview_unknown": (
        "지원 {application_id}에 그런 면접이 없습니다.",
        "Application {application_id} has no such interview.",
    ),
    "error.interview_overtaken": (
        "그 사이에 면접이 바뀌었습니다. 다시 확인하세요.",
        "The interview was edited meanwhile: look again.",
    ),
    "error.round_exists": (
        "이미 있는 회차입니다: {round}회차 {label}",
        "There is a round {round} already: {label}",
    ),
    "error.interview_result": (
        "결과는 PENDING, PASSED, FAILED 중 하나로 쓰세요: {value}",
        "The result is PENDING, PASSED or FAILED, not {value}",
    ),
    "error.interview_nothing": ("바꿀 값을 하나 이상 쓰세요.", "Say what is to be changed."),
    "refusal.TERMINAL": ("끝난 지원({status})은 바꿀 수 없습니다.", "An application that is {status} has ended."),
    "refusal.SAME_STATUS": ("이미 그 상태입니다: {status}", "It is there already: {status}"),
    "refusal.STAGE_SKIPPED": (
        "{status}에서 {wanted}(으)로 단계를 건너뛸 수 없습니다.",
        "A stage lies between {status} and {wanted}.",
    ),
    "refusal.BACKWARDS": (
        "{status}에서 {wanted}(으)로 되돌릴 수 없습니다.",
        "It can't go back from {status} to {wanted}.",
    ),
    "refusal.NOT_OFFERED": (
        "{wanted}은(는) 처우 협의 다음에만 가능합니다. 지금은 {status}입니다.",
        "Only an offer can become {wanted}; it is {status}.",
    ),
    "refusal.DECLINE_THE_OFFER": (
        "처우 협의 중의 포기는 지원 철회가 아니라 입사 포기(OFFER_DECLINED)입니다.",
        "Giving up an offer is OFFER_DECLINED, not WITHDRAWN.",
    ),
    "refusal.OFFER_STANDS": (
        "처우 협의에 들어간 뒤에는 불합격으로 바꿀 수 없습니다.",
        "Once there is an offer it can't be rejected.",
    ),
    # --- the calendar ---------------------------------------------------------------------------------------------
    "calendar.name": ("공고 일정", "Gonggo"),
    "calendar.deadlines": ("공고 마감", "Deadlines"),
    "calendar.interviews": ("면접", "Interviews"),
    "calendar.deadline": ("[마감] {company} - {title}", "[Deadline] {company} - {title}"),
    "calendar.interview": ("[면접] {company} - {label}", "[Interview] {company} - {label}"),
    "calendar.deadline_at": ("마감: {time} (한국 시간)", "Deadline: {time} (Korean time)"),
    "calendar.application": ("지원 상태: {status}", "Application: {status}"),
    "calendar.round": ("{round}회차", "Round {round}"),
    "calendar.result": ("결과: {result}", "Result: {result}"),
    # --- why a value is refused (`application.model.InvalidValue`, by its field) ---
    "invalid.memo": (
        "메모는 2000자까지입니다. 줄여서 다시 쓰세요.",
        "A memo may have 2000 characters: shorten it.",
    ),
    "invalid.label": (
        "면접의 이름은 비워 둘 수 없고 100자까지입니다. 고쳐서 다시 쓰세요.",
        "An interview needs a name of up to 100 characters: write another one.",
    ),
    "invalid.round_number": (
        "면접의 회차는 1부터 1000까지입니다. 고쳐서 다시 쓰세요.",
        "The round of an interview is from 1 to 1000: write another one.",
    ),
}
