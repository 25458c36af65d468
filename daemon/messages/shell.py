"""What the shell says of its ground (settings, state folder, output), of the day's jobs, and of how a source ended."""

TEXTS: dict[str, tuple[str, str]] = {
    # --- settings -------------------------------------------------------------------------------------------------
    "warning.setting_near": (
        "설정 {name}은(는) 없습니다. 혹시 {nearest}인가요? 지금은 무시합니다.",
        "There is no setting {name}; did you mean {nearest}? It is ignored.",
    ),
    "warning.setting_unknown": (
        "설정 {name}은(는) 없어서 무시합니다. 지우거나 이름을 고치세요.",
        "There is no setting {name}; it is ignored: remove it or correct its name.",
    ),
    "error.config_of_service": (
        "서비스의 설정 파일 {path}을(를) 읽을 수 없습니다 ({reason}). sudo로 실행하거나 --config로 다른 파일을 쓰세요.",
        "The service's configuration {path} can't be read ({reason}): use sudo, or name another file with --config.",
    ),
    "error.credential": (
        "비밀 설정 {path}을(를) 읽을 수 없습니다 ({reason}). sudo로 실행하거나 {variable}로 값을 주세요.",
        "The secret {path} can't be read ({reason}): use sudo, or give its value as {variable}.",
    ),
    "error.state": (
        "{path}을(를) 쓸 수 없습니다 ({reason}). 권한과 남은 공간을 확인하거나 GONGGO_DATABASE_URL로 다른 곳을 쓰세요.",
        "{path} can't be used ({reason}): check permissions and space, or name another place in GONGGO_DATABASE_URL.",
    ),
    "error.state_of_service": (
        "서비스의 데이터베이스 {path}을(를) 쓸 수 없습니다 ({reason}). sudo로 실행하세요.",
        "The service's database {path} can't be used ({reason}): use sudo.",
    ),
    "error.output": (
        "결과를 출력하지 못했습니다 ({reason}). 출력할 곳을 확인하세요.",
        "The result could not be written ({reason}): check where standard output goes.",
    ),
    "error.migrating": (
        "다른 프로세스가 데이터베이스 스키마를 올리는 중입니다. 잠시 뒤 다시 실행하세요.",
        "Another process is migrating this database: try again later.",
    ),
    "error.table_in_use": (
        "다른 작업이 테이블을 쓰고 있어 스키마를 올리지 못했습니다. 잠시 뒤 다시 실행하세요.",
        "A table was in use for too long, so the schema was not brought up to date: try again later.",
    ),
    # --- why a setting is wrong, by pydantic's type of error or by our own ---
    "reason.form": ("값의 형식이 맞지 않습니다 ({detail})", "the value is not of the right form ({detail})"),
    "reason.toml": ("TOML 형식이 아닙니다: {detail}", "not TOML: {detail}"),
    "reason.not_utf8": ("UTF-8이 아닙니다", "not UTF-8"),
    "reason.encrypted": ("서비스만 읽을 수 있게 암호화되어 있습니다", "encrypted for the service alone"),
    "reason.finite_number": ("끝이 있는 수여야 합니다", "must be a finite number"),
    "reason.int_parsing_size": ("너무 큰 수입니다", "too large a number"),
    "reason.dict_type": ("이름과 값의 모음이 아닙니다", "not a set of names and values"),
    "reason.origin": (
        "{platform}의 주소가 http://서버[:포트] 형식이 아닙니다",
        "the address of {platform} is not scheme://host[:port]",
    ),
    "reason.host": ("IP 주소도 서버 이름도 아닙니다", "neither an IP address nor a host name"),
    "reason.header_text": (
        "줄바꿈 없는 ASCII 글자여야 합니다",
        "must be one line of printable ASCII characters",
    ),
    "reason.token": (
        "빈칸 없는 ASCII 한 단어여야 합니다",
        "must be one word of printable ASCII characters",
    ),
    "reason.public_bind": (
        "HTTP_HOST {host}은(는) 이 컴퓨터 밖에 열립니다. 먼저 GONGGO_API_TOKEN을 정하세요",
        "HTTP_HOST {host} is not loopback: set GONGGO_API_TOKEN first",
    ),
    "reason.clock": (
        "file:경로로 쓰거나 비워 두세요 ({detail})",
        "write file:PATH, or leave it unset for real time ({detail})",
    ),
    "reason.database_form": (
        "mysql://사용자:비밀번호@서버/데이터베이스나 sqlite:///경로가 아닙니다",
        "neither mysql://user:password@host/database nor sqlite:///path",
    ),
    "reason.database_encoding": (
        "비밀번호의 기호는 %로 바꿔 써야 합니다 (@는 %40, /는 %2F, #은 %23, :은 %3A)",
        "special characters of the password must be encoded (@ as %40, / as %2F, # as %23, : as %3A)",
    ),
    "reason.database_name": (
        "데이터베이스 이름이 없습니다 (mysql://…@서버/이름)",
        "it names no database (mysql://…@host/name)",
    ),
    "reason.database_memory": (
        "메모리에만 있는 SQLite에는 아무것도 남지 않습니다. sqlite:///경로로 쓰세요",
        "SQLite in memory keeps nothing: write sqlite:///path",
    ),
    "reason.database_sqlite": (
        "sqlite:/// 뒤에는 파일 경로만 씁니다",
        "behind sqlite:/// there is the path of a file and nothing else",
    ),
    "reason.database_options": (
        "물음표 뒤에는 charset, connect_timeout, program_name, read_default_file, unix_socket만 쓸 수 있습니다",
        "only charset, connect_timeout, program_name, read_default_file, unix_socket may follow the question mark",
    ),
    # --- why the operating system refused ---
    "reason.EACCES": ("권한이 없습니다", "permission denied"),
    "reason.EPERM": ("허용되지 않습니다", "not permitted"),
    "reason.ENOENT": ("없는 파일입니다", "no such file"),
    "reason.ENOTDIR": ("경로 중간에 폴더가 아닌 파일이 있습니다", "a file stands where a directory should be"),
    "reason.EEXIST": ("폴더가 있어야 할 곳에 파일이 있습니다", "a file stands where a directory should be"),
    "reason.EISDIR": ("파일이 아니라 폴더입니다", "a directory, not a file"),
    "reason.EROFS": ("읽기 전용 파일 시스템입니다", "read-only file system"),
    "reason.ENOSPC": ("남은 공간이 없습니다", "no space left"),
    "reason.EBADF": ("닫혀 있습니다", "closed"),
    "reason.EADDRINUSE": ("이미 쓰이고 있습니다", "already in use"),
    "reason.EADDRNOTAVAIL": ("이 컴퓨터의 주소가 아닙니다", "no address of this machine"),
    # --- gonggo run ---
    "run.flags_off": (
        "꺼진 기능이 있습니다. 'gonggo init --activate'로 모두 켜거나 'gonggo flag on 이름'으로 하나씩 켜세요.",
        "Functions are off: run 'gonggo init --activate' for all, or 'gonggo flag on NAME' for one.",
    ),
    "run.nothing_followed": (
        "등록된 소스가 없어 모을 것이 없습니다. 브라우저로 {page} 페이지를 열면 하나씩 안내합니다.",
        "Nothing is followed yet: open {page} in a browser, which leads through it.",
    ),
    "run.summary": ("소스 {sources}개, 꺼진 기능 {off}개", "{sources:source/sources}, {off:function/functions} off"),
    "run.reloaded": ("설정을 다시 읽었습니다", "settings read again"),
    "run.needs_restart": (
        "설정을 다시 읽었습니다. 다시 시작해야 바뀌는 것: {names}",
        "settings read again; these need a restart: {names}",
    ),
    "run.not_reloaded": (
        "설정이 잘못되어 쓰던 설정을 그대로 씁니다: {reason}",
        "the settings are wrong, those in force stay: {reason}",
    ),
    # --- gonggo collect ---
    "collect.before": (
        "오늘 이미 수집했습니다: {label} (소스 {source_id}). 내일 다시 수집합니다.",
        "Collected already today: {label} (source {source_id}); its next turn is tomorrow.",
    ),
    "collect.switched_off": (
        "수집하지 않았습니다: {label} (소스 {source_id}). 먼저 'gonggo flag on aggregator.collection'을 실행하세요.",
        "Not collected: {label} (source {source_id}). Run 'gonggo flag on aggregator.collection' first.",
    ),
    # --- gonggo init, status ---
    "init.flags_off": (
        "꺼진 기능: {flags} ('gonggo init --activate'로 모두 켭니다)",
        "Functions off: {flags} ('gonggo init --activate' switches all on)",
    ),
    "status.ground": ("데이터베이스: {address} (설정: {config})", "Database: {address} (configuration: {config})"),
    "status.ground_alone": ("데이터베이스: {address} (설정 파일 없음)", "Database: {address} (no configuration file)"),
    "status.flags_off": ("꺼진 플래그: {flags}", "Flags off: {flags}"),
    "status.sla_before": ("09:00 스냅샷: 아직 09:00 전입니다", "09:00 snapshot: not before 09:00"),
    "sla.PENDING": ("곧 기록합니다", "about to be taken"),
    "sla.CAPTURING": ("기록하는 중입니다", "being taken"),
    "sla.CAPTURED": ("기록했습니다", "taken"),
    "sla.MISSED": ("09:00에 데몬이 없었거나 늦었습니다", "the daemon was not there at 09:00, or late"),
    "sla.NOT_APPLICABLE": (
        "09:00에 수집 엔진(v2)이 꺼져 있었습니다",
        "the durable collection engine (v2) was off at 09:00",
    ),
    "sla.UNAVAILABLE": (
        "오늘은 준비되지 않았습니다. 데몬(gonggo run)과 posting.collection-dispatch-v2 플래그를 확인하세요",
        "the day was not prepared: check the daemon (gonggo run) and the flag posting.collection-dispatch-v2",
    ),
    "check.settings_from": ("{path}에서 읽었습니다", "read from {path}"),
    # --- what the jobs of the day did ---
    "job.prepare_off": ("{flag} 꺼짐", "{flag} is off"),
    "job.prepared": ("소스 {count}개의 하루 수집을 준비했습니다", "{count:cycle/cycles} prepared"),
    "job.prepared_before": ("모든 소스가 이미 준비되어 있었습니다", "every source had its cycle already"),
    "job.sweep_off": ("{flag} 꺼짐", "{flag} is off"),
    "job.swept": ("마감일이 지난 공고 {count}건을 마감했습니다", "{count:posting/postings} closed"),
    "job.dedup": (
        "키 {keys}개를 살펴 공고 {changed}건을 바꿨습니다 (미룸 {left}, 회사 변경 {adopted})",
        "{keys:key/keys} looked at, {changed:posting/postings} changed, {left} left, {adopted} adopted",
    ),
    "job.dedup_off": (
        "{flag} 꺼짐: 공고 {changed}건을 되돌렸습니다 (미룸 {left}, 회사 변경 {adopted})",
        "{flag} is off: {changed:posting/postings} changed, {left} left, {adopted} adopted",
    ),
    "job.evaluated": (
        "공고 {evaluated}건을 평가했습니다 (최신 {skipped}건)",
        "{evaluated:posting/postings} evaluated, {skipped} up to date",
    ),
    "job.cleaned": ("남은 발견 기록 {count}건을 지웠습니다", "{count} orphaned seen rows deleted"),
    "job.snapshot": ("{reason}", "{reason}"),
    "job.notified": (
        "보냄 {delivered}, 실패 {failed}, 남음 {left}",
        "{delivered} delivered, {failed} failed, {left} left",
    ),
    "job.notified_until": (
        "보냄 {delivered}, 실패 {failed}, 남음 {left}: {reason}",
        "{delivered} delivered, {failed} failed, {left} left: {reason}",
    ),
    "job.no_webhook": ("디스코드 웹훅이 없어 보내지 않았습니다", "no webhook is set"),
    "job.dispatch_off": ("{flag} 꺼짐", "{flag} is off"),
    "job.not_notified": ("보내지 않았습니다: {reason}", "not sent: {reason}"),
    "job.legacy_unused": ("기존 방식(v1)으로 수집하지 않습니다", "not collected the legacy way"),
    "job.collected": ("소스 {count}개를 수집했습니다", "{count:source/sources} collected"),
    # --- why a source's day ended, and what comes next ---
    "outcome.LEASE_EXPIRED": (
        "작업하던 프로세스가 사라졌습니다. 같은 날 다시 요청하지 않고 내일 다시 수집합니다.",
        "the process at work disappeared; nothing is asked twice on a day, so its next turn is tomorrow.",
    ),
    "outcome.INTERRUPTED": (
        "도중에 중단되었습니다. 같은 날 다시 요청하지 않고 내일 다시 수집합니다.",
        "it was interrupted; nothing is asked twice on a day, so its next turn is tomorrow.",
    ),
    "outcome.DAY_ENDED": (
        "하루가 끝날 때까지 차례가 오지 않았습니다. 새 날의 수집이 이어집니다.",
        "the day ended before its list was read; the new day's collection takes over.",
    ),
    "outcome.INTERNAL_ERROR": (
        "프로그램 오류입니다. 데몬의 로그를 확인하세요. 내일 다시 수집합니다.",
        "an error of the program: see the daemon's log. Its next turn is tomorrow.",
    ),
    "outcome.LAYOUT_CHANGED": (
        "사이트의 모양이 바뀌어 읽지 못했습니다. 이어지면 gonggo를 새 버전으로 올리세요.",
        "the site looks different from what is known; if it stays so, update gonggo.",
    ),
    "outcome.LIST_TOTAL_MISMATCH": (
        "사이트가 말한 수보다 적게 보여 마감 판단을 하지 않았습니다. 내일 다시 수집합니다.",
        "the list showed fewer postings than the site declares, so nothing was closed. Its next turn is tomorrow.",
    ),
    "outcome.NOT_FOUND": (
        "사이트에 그런 게시판이 없습니다. 소스의 슬러그를 확인하세요.",
        "the site knows no such board: check the source's slug.",
    ),
    "outcome.BLOCKED": (
        "사이트가 거절했습니다. 내일 다시 시도하며, 이어지면 'gonggo source disable 번호'로 멈추세요.",
        "the site refuses; it is tried again tomorrow. If it stays so, run 'gonggo source disable ID'.",
    ),
    "outcome.LOGIN_REQUIRED": (
        "로그인해야 볼 수 있는 곳입니다. 이어지면 'gonggo source disable 번호'로 멈추세요.",
        "the site wants a login. If it stays so, run 'gonggo source disable ID'.",
    ),
    "outcome.REDIRECTED": (
        "다른 주소로 옮겨졌습니다. 소스의 슬러그를 확인하세요.",
        "the site sends to another address: check the source's slug.",
    ),
    "outcome.RATE_LIMITED": (
        "사이트가 잠시 쉬라고 했습니다. 내일 다시 수집합니다.",
        "the site asks for patience; its next turn is tomorrow.",
    ),
    "outcome.SERVER_ERROR": (
        "사이트에 문제가 있습니다. 내일 다시 수집합니다.",
        "the site has a problem; its next turn is tomorrow.",
    ),
    "outcome.TIMEOUT": (
        "사이트가 제때 답하지 않았습니다. 내일 다시 수집합니다.",
        "the site did not answer in time; its next turn is tomorrow.",
    ),
    "outcome.TOO_LARGE": (
        "답이 너무 큽니다. 필요하면 GONGGO_BODY_CAP_BYTES를 늘리세요.",
        "the answer is too large: raise GONGGO_BODY_CAP_BYTES if it has to be.",
    ),
    "outcome.PROTOCOL_ERROR": (
        "사이트와 연결하지 못했습니다. 네트워크를 확인하세요. 내일 다시 수집합니다.",
        "the site could not be talked to: check the network. Its next turn is tomorrow.",
    ),
    "outcome.LIST_PAGE_LIMIT": (
        "하루 목록 한도만큼 보았습니다. 나머지는 보지 않으며 마감 판단도 하지 않습니다.",
        "the day's limit of list pages is used up; the rest is not looked at, and nothing is closed.",
    ),
    "outcome.POSTING_LIMIT": (
        "하루 공고 한도만큼 보았습니다. 더 보려면 GONGGO_DAILY_POSTINGS를 늘리세요.",
        "the day's limit of postings is used up: raise GONGGO_DAILY_POSTINGS to see more.",
    ),
    "outcome.DETAIL_LIMIT": (
        "하루 상세 한도만큼 보았습니다. 나머지는 내일 이어서 봅니다.",
        "the day's limit of posting pages is used up; the others have their turn tomorrow.",
    ),
    "outcome.SLICE_TIME_LIMIT": (
        "수집 시간 한도에 닿았습니다. 내일 다시 수집합니다.",
        "the limit of time is used up; its next turn is tomorrow.",
    ),
}
