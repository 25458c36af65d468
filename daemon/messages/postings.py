"""What is said of postings: in lists, on the shell, in the feed and in exports."""

TEXTS: dict[str, tuple[str, str]] = {
    # --- columns and cells ----------------------------------------------------------------------------------------
    "column.deadline": ("마감일", "Deadline"),
    "column.matched": ("키워드", "Matches"),
    "column.arrangement": ("근무형태", "Work arrangement"),
    "column.confidence": ("확신도", "Confidence"),
    "column.copies": ("다른 출처", "Elsewhere"),
    "column.found_at": ("발견한 때", "Found at"),
    "column.last_seen_at": ("마지막 확인", "Last seen at"),
    "column.changed_at": ("수정 감지", "Edited at"),
    "column.closed_at": ("마감된 때", "Closed at"),
    "column.closed_reason": ("마감 사유", "Why closed"),
    "column.represented_by": ("대표 공고", "Copy of"),
    "column.origin_of_posting": ("등록", "Entered by"),
    "column.evidence": ("근거", "Evidence"),
    "column.stage": ("찾은 곳", "Found in"),
    "column.main": ("대표", "Main"),
    "cell.always_open": ("상시채용", "always open"),
    "cell.matched": ("일치", "yes"),
    "cell.COLLECTED": ("수집", "a source"),
    "cell.MANUAL": ("직접 등록", "hand"),
    "cell.NOT_FOUND_TWICE": ("두 번 연속 보이지 않음", "not found twice"),
    "cell.DEADLINE_PASSED": ("마감일 지남", "deadline passed"),
    "cell.CONFIRMED": ("확실", "certain"),
    "cell.LIKELY": ("유력", "likely"),
    "cell.INFERRED": ("추정", "a guess"),
    "cell.STRUCTURED_FIELD": ("공고 항목", "a field"),
    "cell.DESCRIPTION_BODY": ("본문", "the text"),
    "cell.main": ("대표", "main"),
    # --- help -----------------------------------------------------------------------------------------------------
    "help.posting": ("모은 공고를 보고 직접 등록합니다.", "See postings and enter your own."),
    "help.posting list": ("공고를 보여 줍니다. 중복된 공고는 하나로 보입니다.", "Show postings, copies as one."),
    "help.posting show": ("공고 하나를 자세히 보여 줍니다.", "Show one posting."),
    "help.posting add": ("공고를 직접 등록합니다.", "Enter a posting by hand."),
    "help.posting edit": (
        "직접 등록한 공고를 고치거나, 잘못 마감된 공고를 다시 엽니다.",
        "Correct a posting entered by hand, or open one that was closed wrongly.",
    ),
    "help.posting list --company": ("이 회사의 공고만 (회사 번호)", "Only of this company (its id)"),
    "help.posting list --status": ("이 상태의 공고만: OPEN, CLOSED", "Only in this state: OPEN, CLOSED"),
    "help.posting list --matched": ("내 키워드에 맞는 공고만", "Only those that match your keywords"),
    "help.posting list --title": ("제목에 이 말이 든 공고만", "Only with this in the title"),
    "help.--sort": (
        "순서: DISCOVERED(최근 발견), DEADLINE(마감 임박), WORK_ARRANGEMENT(근무형태)",
        "Order: DISCOVERED (found last), DEADLINE (closing first), WORK_ARRANGEMENT",
    ),
    "help.--page": ("몇 번째 쪽인지, 0부터", "Which page, from 0"),
    "help.--deadline": ("마감일(2026-12-24 또는 ISO 8601), 기본은 상시채용", "2026-12-24 or ISO 8601. Default: open"),
    "help.posting edit --deadline": ("새 마감일, 빈 값은 상시채용", "New deadline; empty is always open"),
    "help.posting edit --title": ("새 제목", "New title"),
    "help.posting edit --url": ("새 주소", "New address"),
    "help.posting edit --status": ("새 상태: OPEN, CLOSED", "New state: OPEN, CLOSED"),
    "help.COMPANY": ("회사 번호 (gonggo company list)", "Company id (gonggo company list)"),
    "help.TITLE": ("제목", "Title"),
    "help.URL": ("주소 (http 또는 https)", "Address (http or https)"),
    # --- results --------------------------------------------------------------------------------------------------
    "posting.none": (
        "공고가 없습니다. 수집이 끝난 뒤 다시 보거나 'gonggo posting add'로 등록하세요.",
        "No postings: look again after the collection, or enter one with 'gonggo posting add'.",
    ),
    "posting.more": (
        "모두 {total}건 중 {shown}건을 보였습니다. 다음 쪽: --page {page}",
        "Shown {shown} of {total}. Next: --page {page}",
    ),
    "posting.more_than": (
        "{total}건이 넘는 공고 중 {shown}건을 보였습니다. 다음 쪽: --page {page}",
        "Shown {shown} of more than {total}. Next: --page {page}",
    ),
    "posting.title": ("공고 {posting_id}: {company} - {title}", "Posting {posting_id}: {company} - {title}"),
    "posting.state": ("{state}, 마감일 {deadline}", "{state}, deadline {deadline}"),
    "posting.address": ("주소: {address}", "Address: {address}"),
    "posting.application": ("지원 {application_id}: {status}", "Application {application_id}: {status}"),
    "posting.matched": ("맞은 이유: {words}", "Why it matches: {words}"),
    "posting.restricted": ("로그인해야 볼 수 있는 공고입니다.", "Its text needs a login."),
    "posting.added": ("등록했습니다: 공고 {posting_id}", "Entered: posting {posting_id}"),
    "posting.edited": ("고쳤습니다: 공고 {posting_id} ({state})", "Saved: posting {posting_id} ({state})"),
    # --- refusals -------------------------------------------------------------------------------------------------
    "error.company_unknown": (
        "없는 회사입니다: {company_id}. 'gonggo company list'로 확인하세요.",
        "There is no company {company_id}: see 'gonggo company list'.",
    ),
    "error.posting_exists": (
        "이 회사에 같은 주소의 공고가 이미 있습니다: 공고 {posting_id}",
        "The company has a posting at this address: {posting_id}",
    ),
    "error.posting_overtaken": (
        "그 사이에 공고가 바뀌었습니다. 다시 확인하세요.",
        "The posting was changed meanwhile: look again.",
    ),
    "error.posting_nothing": ("바꿀 값을 하나 이상 쓰세요.", "Say what is to be changed."),
    "error.choice": ("{name}에는 {choices} 중 하나를 쓰세요: {value}", "{name} is one of {choices}, not {value}"),
    "refusal.COLLECTED": (
        "수집한 공고는 사이트의 내용을 따릅니다. 잘못 마감된 것을 다시 열 수만 있습니다.",
        "A collected posting says what its site says; all you can do is open one that was closed wrongly.",
    ),
    "refusal.DEADLINE_PASSED": (
        "마감일이 지난 공고는 열어도 다시 마감됩니다. 마감일을 먼저 고치세요.",
        "Its deadline has passed: it would be closed again. Change the deadline first.",
    ),
    # --- the feed -------------------------------------------------------------------------------------------------
    "feed.title": ("공고: 내 조건에 맞는 공고", "Gonggo: postings that match"),
    "feed.entry": ("[{company}] {title}", "[{company}] {title}"),
    "feed.line": ("{name}: {value}", "{name}: {value}"),
    # --- why a value is refused (`posting.model.InvalidPosting`, by its field) ---
    "invalid.title": (
        "제목은 비워 둘 수 없고 500자까지입니다. 고쳐서 다시 쓰세요.",
        "A posting needs a title of up to 500 characters: write another one.",
    ),
    "invalid.posting_url": (
        "주소는 http://나 https://로 시작하고 빈칸과 비밀번호가 없으며 2000자까지여야 합니다. 고쳐서 다시 쓰세요.",
        "An address begins with http:// or https://, without blanks or a password, in up to 2000 characters.",
    ),
    "invalid.deadline_at": (
        "마감일의 해는 1970년부터 9998년까지입니다. 고쳐서 다시 쓰세요.",
        "The year of a deadline is from 1970 to 9998: write another one.",
    ),
}
