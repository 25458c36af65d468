"""What commands say to a person, by key, in Korean and in English.

Values go in with `str.format`. A new text is one line in `_TEXTS`; a test holds that both languages name the same
values and that every command and option has its help.
"""

from __future__ import annotations

from typing import Literal

Language = Literal["ko", "en"]

_TEXTS: dict[str, tuple[str, str]] = {
    # --- help: commands -------------------------------------------------------------------------------------------
    "help": (
        "관심 회사와 채용 사이트의 공고를 날마다 모으는 프로그램입니다.",
        "Collects the postings of the companies and job boards you follow, every Korean day.",
    ),
    "help.epilog": (
        "종료 코드: 0 정상, 1 부정적 결과, 2 잘못된 사용, 3 설정·DB 문제, 130 중단",
        "Exit codes: 0 good, 1 negative outcome, 2 usage, 3 settings or database, 130 Ctrl-C",
    ),
    "help.run": ("데몬을 실행합니다.", "Run the daemon."),
    "help.demo": (
        "아홉 사이트의 복제본으로 며칠치 수집을 빠르게 보여 줍니다.",
        "Collect replicas of the nine sites over several days, fast.",
    ),
    "help.collect": ("오늘의 수집을 지금 실행합니다.", "Run today's collection now."),
    "help.parse": (
        "저장해 둔 응답 파일을 읽어 공고마다 JSON 한 줄을 출력합니다.",
        "Read saved answers and print one JSON object per posting.",
    ),
    "help.init": ("상태 폴더와 데이터베이스를 준비합니다.", "Prepare the state directory and the database."),
    "help.migrate": ("데이터베이스 스키마를 최신으로 올립니다.", "Bring the database schema up to date."),
    "help.check": (
        "설정, 데이터베이스, 시계, 웹훅, 상태 폴더를 점검합니다.",
        "Check settings, database, clock, webhook and state directory.",
    ),
    "help.status": ("오늘의 수집 상태를 한눈에 보여 줍니다.", "Show today at a glance."),
    "help.flag": ("기능 플래그를 보고 바꿉니다.", "See and switch feature flags."),
    "help.flag list": ("모든 플래그를 보여 줍니다.", "Show every flag."),
    "help.flag on": ("플래그를 켭니다. 재시작이 필요 없습니다.", "Switch a flag on; no restart is needed."),
    "help.flag off": ("플래그를 끕니다. 재시작이 필요 없습니다.", "Switch a flag off; no restart is needed."),
    "help.company": ("관심 회사를 등록하고 봅니다.", "Register and see companies."),
    "help.company add": ("회사를 등록합니다.", "Register a company."),
    "help.company list": ("등록된 회사를 보여 줍니다.", "Show the companies."),
    "help.source": ("수집 소스를 등록하고 봅니다.", "Register and see sources."),
    "help.source add": (
        "채용 사이트의 직무 카테고리 하나를 소스로 등록합니다.",
        "Follow one job category of a job board.",
    ),
    "help.source list": ("등록된 소스를 보여 줍니다.", "Show the sources."),
    "help.source disable": ("소스의 수집을 멈춥니다. 모은 공고는 남습니다.", "Stop a source; its postings stay."),
    "help.source enable": ("멈춘 소스를 다시 수집합니다.", "Follow a stopped source again."),
    "help.source categories": (
        "채용 사이트가 지원하는 직무 카테고리를 보여 줍니다.",
        "Show the job categories of a job board.",
    ),
    # --- help: options --------------------------------------------------------------------------------------------
    "help.--config": ("설정 파일(TOML)", "Configuration file (TOML)"),
    "help.--debug": ("오류의 자세한 내용과 디버그 로그를 보여 줍니다.", "Show tracebacks and debug logs."),
    "help.--version": ("버전을 보여 줍니다.", "Show the version."),
    "help.--help": ("도움말을 보여 줍니다.", "Show this help."),
    "help.--days": ("며칠을 보여 줄지", "How many days"),
    "help.--serve": ("끝난 뒤에도 API를 열어 둡니다.", "Keep the API up afterwards."),
    "help.--keep": ("데이터베이스와 로그를 남길 폴더", "Directory in which database and logs stay"),
    "help.--source": ("수집할 소스 번호 (여러 번 쓸 수 있음)", "Source id (may be repeated)"),
    "help.company add --source": ("플랫폼:슬러그 (여러 번 쓸 수 있음)", "PLATFORM:SLUG (may be repeated)"),
    "help.--alias": ("다른 이름 (여러 번 쓸 수 있음)", "Another name (may be repeated)"),
    "help.--kind": ("응답의 종류: list 또는 detail", "What the answer is: list or detail"),
    "help.--at": (
        "응답을 받은 시각(ISO 8601, 한국 시간), 기본은 지금",
        "When it was received (ISO 8601, Korean time). Default: now",
    ),
    "help.--activate": ("다섯 플래그를 모두 켭니다.", "Switch on all five flags."),
    "help.--keyword": ("검색어", "Search word"),
    "help.PLATFORM": ("플랫폼 이름: {platforms}", "Platform: {platforms}"),
    "help.FILE": ("저장한 응답 파일, -는 표준 입력", "Saved answer; - is standard input"),
    "help.NAME": ("이름", "Name"),
    "help.CATEGORY": ("직무 카테고리 코드", "Code of the job category"),
    "help.ID": ("소스 번호 (gonggo source list)", "Source id (gonggo source list)"),
    # --- demo -----------------------------------------------------------------------------------------------------
    "demo.begin": (
        "아홉 사이트의 복제본에서 {days}일을 보냅니다. 인터넷은 쓰지 않습니다. (작업 폴더: {folder})",
        "Living through {days} days of the nine replica sites, without the internet. (Folder: {folder})",
    ),
    "demo.day": ("[{number}/{days}일째] {day}", "[Day {number}/{days}] {day}"),
    "demo.sla": (
        "09:00 스냅샷 {day}: {status} {captured}, 소스 {items}개, 지연 {late}개",
        "09:00 snapshot {day}: {status} {captured}, {items} sources, {late} late",
    ),
    "demo.polite": (
        "복제본이 기록한 요청 간격 (시뮬레이션 초)",
        "Spacing of requests as the replica saw it (simulated seconds)",
    ),
    "demo.repeated": (
        "같은 날 두 번 요청한 목록 페이지: {count}개",
        "List pages asked for twice on one day: {count}",
    ),
    "demo.truth": (
        "복제본의 각본과 다른 소스(상태·사유·신규·변경·미발견·마감): {count}개",
        "Sources that differ from the script of the world (state, reason, new, changed, missed, closed): {count}",
    ),
    "demo.serving": (
        "데몬이 계속 실행 중입니다: {address}/api/operations/collection-runs (Ctrl-C로 끝냅니다)",
        "The daemon stays up: {address}/api/operations/collection-runs (Ctrl-C ends it)",
    ),
    "column.requests": ("요청", "requests"),
    "column.delay": ("지연", "delay"),
    "column.world": ("각본", "script"),
    "cell.same": ("일치", "same"),
    "cell.differs": ("다름", "differs"),
    "column.gap": ("최소 간격", "closest"),
    # --- errors ---------------------------------------------------------------------------------------------------
    "error.hint": ("도움말: {command} --help", "Help: {command} --help"),
    "error.missing": ("필요한 값이 없습니다: {name}", "A value is missing: {name}"),
    "error.option_unknown": ("없는 옵션입니다: {name}", "There is no such option: {name}"),
    "error.option_value": ("옵션을 잘못 썼습니다: {name} ({detail})", "The option is used wrongly: {name} ({detail})"),
    "error.value": ("값이 올바르지 않습니다: {name} ({detail})", "The value is wrong: {name} ({detail})"),
    "error.usage": ("명령을 알아들을 수 없습니다: {detail}", "The command is not understood: {detail}"),
    "error.platform": (
        "알 수 없는 플랫폼입니다: {value}. 쓸 수 있는 이름: {platforms}",
        "Unknown platform: {value}. Known are {platforms}",
    ),
    "error.kind": ("--kind에는 list나 detail을 쓰세요: {value}", "--kind is list or detail, not {value}"),
    "error.instant": (
        "시각을 읽을 수 없습니다: {value}. 2026-12-01T09:00:00+09:00처럼 쓰세요.",
        "Not an instant: {value}. Write it as 2026-12-01T09:00:00+09:00.",
    ),
    "error.file": ("파일을 읽을 수 없습니다: {path} ({reason})", "The file can't be read: {path} ({reason})"),
    "error.source_form": (
        "--source는 플랫폼:슬러그로 쓰세요 (예: GREENHOUSE:daangn): {value}",
        "--source is PLATFORM:SLUG, such as GREENHOUSE:daangn, not {value}",
    ),
    "error.days": ("--days에는 1부터 60까지 쓰세요: {value}", "--days is 1 to 60, not {value}"),
    "error.config_missing": (
        "설정 파일이 없습니다: {path}. --config의 경로를 확인하세요.",
        "There is no configuration file {path}: check the path after --config.",
    ),
    "error.config_unreadable": (
        "설정 파일을 읽을 수 없습니다: {path} ({reason}). 파일을 고친 뒤 다시 실행하세요.",
        "The configuration file {path} can't be read ({reason}): correct it and try again.",
    ),
    "error.setting": (
        "설정 {name}(환경 변수 {variable})이 잘못되었습니다: {reason}. 고친 뒤 다시 실행하세요.",
        "Setting {name} (environment variable {variable}) is wrong: {reason}. Correct it and try again.",
    ),
    "error.settings": (
        "설정이 잘못되었습니다: {reason}. 고친 뒤 다시 실행하세요.",
        "The settings are wrong: {reason}. Correct them and try again.",
    ),
    "error.database": (
        "데이터베이스를 쓸 수 없습니다: {address} ({reason}). 주소와 서버를 확인한 뒤 'gonggo check'를 실행하세요.",
        "The database can't be used: {address} ({reason}). Check address and server, then run 'gonggo check'.",
    ),
    "error.database_missing": (
        "데이터베이스가 아직 없습니다: {address}. 먼저 'gonggo init'을 실행하세요.",
        "There is no database yet: {address}. Run 'gonggo init' first.",
    ),
    "error.schema_behind": (
        "데이터베이스 스키마가 오래되었습니다. 먼저 'gonggo migrate'를 실행하세요.",
        "The database schema is behind this program. Run 'gonggo migrate' first.",
    ),
    "error.already_running": (
        "다른 gonggo(프로세스 {pid})가 {path}을(를) 쓰고 있습니다. 그것을 멈추거나 MySQL을 쓰세요.",
        "Another gonggo (process {pid}) works on {path}: stop it, or use MySQL.",
    ),
    "error.address": (
        "HTTP 주소 {address}를 열 수 없습니다 ({reason}). GONGGO_HTTP_PORT를 바꾸세요.",
        "The HTTP address {address} can't be used ({reason}): change GONGGO_HTTP_PORT.",
    ),
    "error.migrate": ("스키마를 올릴 수 없습니다: {reason}", "The schema can't be brought up to date: {reason}"),
    "error.directory": (
        "폴더를 만들거나 쓸 수 없습니다: {path} ({reason}). 권한을 확인하세요.",
        "The directory can't be made or written: {path} ({reason}). Check its permissions.",
    ),
    "error.flag": (
        "없는 플래그입니다: {value}. 쓸 수 있는 이름: {flags}",
        "There is no flag {value}. Known are {flags}",
    ),
    "error.company_exists": (
        "같은 이름의 회사가 이미 있습니다: {company_id} {name}",
        "A company of that name is registered already: {company_id} {name}",
    ),
    "error.source_followed": (
        "이미 등록된 소스입니다: {source_id}",
        "The source is followed already: {source_id}",
    ),
    "error.source_off": (
        "멈춰 둔 소스입니다. 'gonggo source enable {source_id}'로 다시 수집하세요.",
        "The source is stopped: run 'gonggo source enable {source_id}'.",
    ),
    "error.source_unknown": (
        "없는 소스입니다: {source_id}. 'gonggo source list'로 확인하세요.",
        "There is no source {source_id}: see 'gonggo source list'.",
    ),
    "error.category": (
        "{platform}에 없는 직무 카테고리입니다: {code}. 'gonggo source categories {platform}'로 확인하세요.",
        "{platform} has no job category {code}: see 'gonggo source categories {platform}'.",
    ),
    "error.invalid": ("{field} 값이 올바르지 않습니다: {reason}", "The value of {field} is wrong: {reason}"),
    "error.crash": (
        "예상하지 못한 오류입니다: {reason}. --debug를 붙여 다시 실행하면 자세히 볼 수 있습니다.",
        "Unexpected error: {reason}. Run again with --debug for the details.",
    ),
    "error.text": ("{text}", "{text}"),
    "error.interrupted": ("중단했습니다.", "Interrupted."),
    # --- why a setting is wrong, by pydantic's type of error ---
    "reason.int_parsing": ("정수가 아닙니다", "not a whole number"),
    "reason.json": ("JSON이 아닙니다", "not JSON"),
    "reason.int_type": ("정수가 아닙니다", "not a whole number"),
    "reason.int_from_float": ("정수가 아닙니다", "not a whole number"),
    "reason.float_parsing": ("숫자가 아닙니다", "not a number"),
    "reason.float_type": ("숫자가 아닙니다", "not a number"),
    "reason.string_type": ("글자가 아닙니다", "not a text"),
    "reason.less_than_equal": ("{le} 이하여야 합니다", "must be at most {le}"),
    "reason.greater_than_equal": ("{ge} 이상이어야 합니다", "must be at least {ge}"),
    "reason.greater_than": ("{gt}보다 커야 합니다", "must be more than {gt}"),
    "reason.literal_error": ("{expected} 중 하나여야 합니다", "must be {expected}"),
    "reason.enum": ("{expected} 중 하나여야 합니다", "must be {expected}"),
    # --- results --------------------------------------------------------------------------------------------------
    "flag.switched_on": ("켰습니다: {flag}", "Switched on: {flag}"),
    "flag.switched_off": ("껐습니다: {flag}", "Switched off: {flag}"),
    "flag.already": ("이미 그 상태입니다: {flag}", "Already so: {flag}"),
    "flag.posting.auto-close": (
        "두 번 연속 보이지 않거나 마감일이 지난 공고를 자동으로 마감합니다",
        "Closes postings not seen twice in a row or past their deadline",
    ),
    "flag.notification.discord-dispatch": (
        "매일 09:00에 알림을 디스코드로 보냅니다",
        "Sends notifications to Discord at 09:00",
    ),
    "flag.posting.cross-source-dedup": (
        "매일 08:30에 여러 소스의 같은 공고를 하나로 묶습니다",
        "Groups the same posting of several sources at 08:30",
    ),
    "flag.aggregator.collection": (
        "채용 사이트의 검색을 수집하고 발견한 회사를 등록합니다",
        "Collects searches on job boards and registers the companies found",
    ),
    "flag.posting.collection-dispatch-v2": (
        "중단되어도 이어 가는 수집 엔진(v2)을 씁니다",
        "Uses the durable collection engine (v2)",
    ),
    "migrate.applied": ("적용한 리비전: {revisions}", "Revisions applied: {revisions}"),
    "migrate.nothing": ("이미 최신입니다: {revision}", "Already up to date: {revision}"),
    "init.ready": ("준비되었습니다: {address}", "Ready: {address}"),
    "init.activated": ("다섯 플래그를 모두 켰습니다.", "All five flags are on."),
    "init.next": ("다음 단계:", "Next steps:"),
    "init.next_company": (
        "  gonggo company add 당근마켓 --source GREENHOUSE:daangn   회사 등록",
        "  gonggo company add 당근마켓 --source GREENHOUSE:daangn   follow a company",
    ),
    "init.next_source": (
        "  gonggo source categories SARAMIN                         채용 사이트의 카테고리 보기",
        "  gonggo source categories SARAMIN                         see the categories of a job board",
    ),
    "init.next_run": (
        "  gonggo run                                               데몬 실행",
        "  gonggo run                                               run the daemon",
    ),
    "init.next_flags": (
        "  gonggo flag on posting.collection-dispatch-v2            기능 켜기 (처음에는 모두 꺼져 있습니다)",
        "  gonggo flag on posting.collection-dispatch-v2            switch functions on (all are off at first)",
    ),
    "company.added": (
        "등록했습니다: {name} (회사 {company_id}, 소스 {sources}개)",
        "Registered: {name} (company {company_id}, {sources} sources)",
    ),
    "company.none": (
        "등록된 회사가 없습니다. 'gonggo company add 이름 --source 플랫폼:슬러그'로 등록하세요.",
        "No companies yet: register one with 'gonggo company add NAME --source PLATFORM:SLUG'.",
    ),
    "company.more": ("모두 {total}개 중 {shown}개를 보였습니다.", "Shown {shown} of {total}."),
    "source.added": (
        "등록했습니다: {platform} {category} (소스 {source_id})",
        "Followed: {platform} {category} (source {source_id})",
    ),
    "source.terms": ("{platform} 약관 참고: {terms}", "{platform}, terms: {terms}"),
    "source.enabled": ("다시 수집합니다: {label}", "Followed again: {label}"),
    "source.disabled": ("수집을 멈췄습니다: {label}", "Stopped: {label}"),
    "source.none": (
        "등록된 소스가 없습니다. 'gonggo company add'나 'gonggo source add'로 등록하세요.",
        "No sources yet: see 'gonggo company add' and 'gonggo source add'.",
    ),
    "source.no_categories": (
        "{platform}에는 카테고리가 없습니다. 회사별로 등록하세요: gonggo company add 이름 --source {platform}:슬러그",
        "{platform} has no categories; it is followed by company: gonggo company add NAME --source {platform}:SLUG",
    ),
    # --- columns and cells ----------------------------------------------------------------------------------------
    "column.id": ("번호", "ID"),
    "column.name": ("이름", "Name"),
    "column.aliases": ("다른 이름", "Aliases"),
    "column.origin": ("구분", "Origin"),
    "column.sources": ("소스", "Sources"),
    "column.source": ("소스", "Source"),
    "column.platform": ("플랫폼", "Platform"),
    "column.state": ("상태", "State"),
    "column.flag": ("플래그", "Flag"),
    "column.description": ("설명", "Description"),
    "column.check": ("점검", "Check"),
    "column.result": ("결과", "Result"),
    "column.detail": ("내용", "Detail"),
    "column.code": ("코드", "Code"),
    "column.label": ("카테고리", "Category"),
    "cell.on": ("켜짐", "on"),
    "cell.off": ("꺼짐", "off"),
    "cell.active": ("수집 중", "active"),
    "cell.disabled": ("멈춤", "disabled"),
    "cell.ok": ("정상", "ok"),
    "cell.failed": ("실패", "failed"),
    "cell.WATCHED": ("관심 회사", "watched"),
    "cell.DISCOVERED": ("발견", "discovered"),
    "column.pages": ("쪽", "Pages"),
    "column.fetched": ("수집", "Fetched"),
    "column.new": ("신규", "New"),
    "column.changed": ("변경", "Changed"),
    "column.missed": ("미발견", "Missed"),
    "column.closed": ("마감", "Closed"),
    "column.reason": ("사유", "Reason"),
    "column.job": ("작업", "Job"),
    "column.due": ("예정", "Due"),
    "cell.not_started": ("시작 전", "not started"),
    "cell.broken": ("{since}부터 고장", "broken since {since}"),
    # --- gonggo status --------------------------------------------------------------------------------------------
    "status.day": ("{day} (한국 시간 {time})", "{day} ({time} Korean time)"),
    "status.flags": ("켜진 플래그: {flags}", "Flags on: {flags}"),
    "status.no_flags": ("켜진 플래그가 없습니다.", "No flag is on."),
    "status.sla": ("09:00 스냅샷: {status}", "09:00 snapshot: {status}"),
    "status.sla_late": ("09:00 스냅샷: {status}, 늦은 소스 {late}개", "09:00 snapshot: {status}, {late} sources late"),
    "status.seen": (
        "이틀 넘게 남은 발견 기록: {count}건 ({level})",
        "Seen rows older than 48 hours: {count} ({level})",
    ),
    # --- gonggo check ---------------------------------------------------------------------------------------------
    "check.settings": ("설정", "settings"),
    "check.settings_good": ("모두 읽었습니다", "all read"),
    "check.settings_unknown": ("알 수 없는 설정: {names}", "unknown settings: {names}"),
    "check.database": ("데이터베이스", "database"),
    "check.schema": ("스키마", "schema"),
    "check.schema_behind": (
        "현재 {current}, 필요 {head}: 'gonggo migrate'를 실행하세요",
        "at {current}, needs {head}: run 'gonggo migrate'",
    ),
    "check.clock": ("시계", "clock"),
    "check.clock_good": ("데이터베이스와의 차이 {seconds}초", "{seconds} s from the database's"),
    "check.clock_off": (
        "데이터베이스와 {seconds}초 차이: 시간 동기화를 확인하세요",
        "{seconds} s from the database's: check time synchronisation",
    ),
    "check.clock_simulated": ("시뮬레이션 시각 {instant}", "simulated, {instant}"),
    "check.clock_alone": ("이 컴퓨터의 시계만 씁니다", "only this machine's clock counts"),
    "check.webhook": ("디스코드 웹훅", "Discord webhook"),
    "check.webhook_good": ("형식이 올바릅니다", "well-formed"),
    "check.webhook_none": ("설정하지 않음: 알림을 보내지 않습니다", "not set: nothing is sent"),
    "check.webhook_bad": (
        "https://discord.com/api/webhooks/번호/토큰 형식이 아닙니다",
        "not of the form https://discord.com/api/webhooks/ID/TOKEN",
    ),
    "check.directory": ("상태 폴더", "state directory"),
    "check.directory_unneeded": ("쓰지 않음 (서버 데이터베이스)", "not used (database server)"),
    "check.directory_bad": ("쓸 수 없음: {path} ({reason})", "not writable: {path} ({reason})"),
    "check.unchecked": ("데이터베이스에 연결되지 않아 점검하지 못했습니다", "not checked without the database"),
}


def text(language: Language, key: str, /, **values: object) -> str:
    """The text of `key` with its values. Raises KeyError for a key that is not in the catalogue."""
    return _TEXTS[key][0 if language == "ko" else 1].format(**values)


def has_text(key: str) -> bool:
    """Whether the catalogue has this key."""
    return key in _TEXTS
