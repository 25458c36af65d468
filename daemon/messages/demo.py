"""What `gonggo demo` says."""

TEXTS: dict[str, tuple[str, str]] = {
    "demo.begin": (
        "아홉 사이트의 복제본에서 {days}일을 보냅니다. 인터넷은 쓰지 않습니다.",
        "Living through {days:day/days} of the nine replica sites, without the internet.",
    ),
    "demo.kept": ("데이터베이스와 로그: {folder}", "Database and logs: {folder}"),
    # --- a day ----------------------------------------------------------------------------------------------------
    "demo.day": ("[{number}/{days}일째] {day}", "[Day {number}/{days}] {day}"),
    "demo.reason": ("  {source}: {status}. {reason}", "  {source}: {status}: {reason}"),
    "demo.sla": (
        "09:00 스냅샷: {status} {captured}, 소스 {items}개, 지연 {late}개",
        "09:00 snapshot: {status} {captured}, {items:source/sources}, {late} late",
    ),
    "demo.told": ("09:00 알림: {count}건", "09:00 notifications: {count}"),
    "demo.told_seeding": (
        "09:00 알림: {count}건 (첫날은 시딩이라 알리지 않습니다)",
        "09:00 notifications: {count} (the first day seeds, so nothing is news)",
    ),
    "demo.deed": ("{at} {told}", "{at} {told}"),
    "demo.applied": ("지원했습니다: {company} - {title}", "Applied: {company} - {title}"),
    "demo.moved": ("지원 상태를 옮겼습니다: {status}", "Moved the application on: {status}"),
    "demo.passed": ("{round}차 면접에 합격했습니다: {label}", "Passed interview {round}: {label}"),
    "demo.nothing_to_apply_for": (
        "오늘은 지원할 만한 새 공고가 없습니다.",
        "Nothing new to apply for today.",
    ),
    "demo.memo_applied": ("이력서와 포트폴리오를 냈다", "Sent the CV and the portfolio"),
    "demo.memo_screened": ("서류 접수 메일을 받았다", "They wrote that they have received it"),
    "demo.memo_invited": ("서류 합격, 기술 면접 일정 확정", "Invited to a technical interview"),
    "demo.memo_first_round": ("과제 코드 리뷰, 분위기가 좋았다", "A review of my code; a good talk"),
    "demo.memo_second_round": ("팀 리드와 한 시간", "An hour with the team lead"),
    "demo.memo_offered": ("처우 제안을 받았다", "They made an offer"),
    "demo.first_round": ("기술 면접", "Technical interview"),
    "demo.second_round": ("컬처핏 면접", "Culture interview"),
    # --- what the person has --------------------------------------------------------------------------------------
    "demo.matches": (
        "{day}에 새로 나온, 키워드에 맞는 공고 중에서:",
        "Of the postings found on {day} that match the keywords:",
    ),
    "demo.match_deadline": ("마감(한국 시간): {deadline}", "Deadline (Korean time): {deadline}"),
    "demo.match_arrangement": ("근무형태: {arrangement}", "Work arrangement: {arrangement}"),
    "demo.match_why": ("맞은 이유: 제목의 {words}", "Why: {words} in the title"),
    "demo.match_copies": ("{count}곳에 게재 (하나로 묶음)", "Published in {count} places (shown as one)"),
    "demo.digest": ("{at}에 디스코드로 보낸 발견 요약 전문:", "The digest as sent to Discord at {at}:"),
    "demo.digest_none": (
        "아직 보낸 발견 요약이 없습니다. --days를 2 이상으로 하면 볼 수 있습니다.",
        "No digest was sent yet: there is one with --days 2 or more.",
    ),
    "demo.timeline_none": (
        "아직 지원한 공고가 없습니다. --days를 2 이상으로 하면 볼 수 있습니다.",
        "No application yet: there is one with --days 2 or more.",
    ),
    "demo.interview": ("{round}차 {label}", "{round}. {label}"),
    "demo.interview_ahead": ("예정", "ahead"),
    # --- the verdict ----------------------------------------------------------------------------------------------
    "demo.polite": (
        "복제본이 기록한 요청 간격 (시뮬레이션 초)",
        "Spacing of requests as the replica saw it (simulated seconds)",
    ),
    "demo.invariant.GAP": (
        "사이트마다 요청 간격을 지켰다",
        "No two requests to a site were closer than its delay",
    ),
    "demo.invariant.ONCE": (
        "같은 날 같은 페이지를 두 번 요청하지 않았다",
        "No page was asked for twice on one day",
    ),
    "demo.invariant.SCRIPT": (
        "소스마다 상태와 수가 복제본의 각본과 같다",
        "Each source's state and counts are those of the script",
    ),
    "demo.invariant.SNAPSHOT": ("날마다 09:00의 상태를 기록했다", "The state of 09:00 was recorded every day"),
    "demo.invariant.TOLD": (
        "알림은 한 번씩만, 시딩한 날에는 없이 도착했다",
        "Each message arrived once, and none on the day of seeding",
    ),
    "demo.invariant.COPIES": (
        "여러 사이트의 같은 공고를 하나로 묶었다",
        "Of a vacancy on several sites one posting stands for all",
    ),
    "demo.row_gap": ("{platform}: {gap}초 (최소 {delay}초)", "{platform}: {gap} s (at least {delay} s)"),
    "demo.row_repeated": ("{what}: {times}번", "{what}: {times} times"),
    "demo.row_script": (
        "{day} {source}: 각본 [{expected}], 결과 [{found}]",
        "{day} {source}: script [{expected}], found [{found}]",
    ),
    "demo.broken": ("gonggo: 지켜지지 않음: {what} - {row}", "gonggo: broken: {what} - {row}"),
    # --- the end --------------------------------------------------------------------------------------------------
    "demo.serving": (
        "데몬이 계속 실행 중입니다. 브라우저로 볼 곳 (Ctrl-C로 끝냅니다):",
        "The daemon stays up. Places to look at in a browser (Ctrl-C ends it):",
    ),
    "demo.ended": ("데모를 끝냈습니다.", "The demo has ended."),
    "error.demo_folder": (
        "--keep에 쓸 수 없는 폴더입니다: {path} ({reason}). 쓸 수 있는 폴더를 지정하세요.",
        "--keep can't use {path} ({reason}): name a folder that can be written to.",
    ),
    "error.demo_died": (
        "데모의 프로세스가 코드 {code}로 끝났습니다. {log}의 끝을 확인하세요.",
        "A process of the demo ended with code {code}: see the end of {log}.",
    ),
    "error.demo_stuck": (
        "데모가 멈췄습니다: {reason}. {log}의 끝을 확인하세요.",
        "The demo is stuck: {reason}. See the end of {log}.",
    ),
    "column.requests": ("요청", "requests"),
    "column.delay": ("지연", "delay"),
    "column.gap": ("최소 간격", "closest"),
    "column.invariant": ("지켜야 하는 것", "What must hold"),
}
