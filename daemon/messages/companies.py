"""What is said of companies and sources: registering them, lists, refusals."""

TEXTS: dict[str, tuple[str, str]] = {
    # --- columns and cells ----------------------------------------------------------------------------------------
    "column.aliases": ("다른 이름", "Aliases"),
    "column.sources": ("소스", "Sources"),
    "column.broken": ("고장", "Broken"),
    "column.board": ("게시판", "Board"),
    "column.found_by": ("찾은 곳", "Found by"),
    "column.postings": ("공고", "Postings"),
    "column.samples": ("공고 제목", "Sample titles"),
    "column.code": ("코드", "Code"),
    "column.label": ("카테고리", "Category"),
    "cell.active": ("수집 중", "active"),
    "cell.disabled": ("멈춤", "disabled"),
    "cell.WATCHED": ("관심 회사", "watched"),
    "cell.DISCOVERED": ("발견", "discovered"),
    "cell.new_board": ("새 게시판", "new"),
    "cell.SITE_URL": ("알려 준 주소", "the address"),
    "cell.SITE_PAGE": ("알려 준 페이지", "the page"),
    "cell.NAME": ("이름으로 짐작", "a guess"),
    # --- help -----------------------------------------------------------------------------------------------------
    "help.company": ("관심 회사를 등록하고 봅니다.", "Register and see companies."),
    "help.company add": ("회사를 등록합니다.", "Register a company."),
    "help.source remove": (
        "잘못 등록해 아무것도 모으지 못한 소스를 지웁니다.",
        "Forget a source that was registered by mistake and never brought anything.",
    ),
    "source.removed": ("지웠습니다: {label}", "Removed: {label}"),
    "error.source_kept_COLLECTED": (
        "모은 것이 있어 지우지 않습니다: {label}. 'gonggo source disable {source_id}'로 멈추세요.",
        "It has brought something, so it stays: {label}. Stop it with 'gonggo source disable {source_id}'.",
    ),
    "error.source_kept_RECORDED": (
        "09:00 기록이나 알림에 있어 지우지 않습니다: {label}. 'gonggo source disable {source_id}'로 멈추세요.",
        "A snapshot or a message tells of it, so it stays: {label}. Stop it with 'gonggo source disable {source_id}'.",
    ),
    "error.source_kept_AT_WORK": (
        "지금 수집하고 있습니다: {label}. 잠시 뒤에 다시 하세요.",
        "It is being collected: {label}. Try again in a moment.",
    ),
    "help.company list": (
        "관심 회사를 보여 줍니다. 발견한 회사는 --origin으로 봅니다.",
        "Show the companies you watch; --origin shows others.",
    ),
    "help.company show": ("회사 하나의 소스와 다른 이름을 보여 줍니다.", "Show a company's sources and aliases."),
    "help.company promote": (
        "발견한 회사를 관심 회사로 올립니다.",
        "Watch a company that was only discovered.",
    ),
    "help.company alias": ("회사의 다른 이름을 더하고 지웁니다.", "Add and remove other names of a company."),
    "help.company alias add": ("다른 이름을 더합니다.", "Add another name."),
    "help.company alias remove": ("다른 이름을 지웁니다.", "Remove another name."),
    "help.company source": ("회사의 게시판을 소스로 더합니다.", "Follow further boards of a company."),
    "help.company source add": ("게시판을 더하거나 멈춘 것을 다시 수집합니다.", "Follow a board, or follow it again."),
    "help.company add --source": ("플랫폼:슬러그 (여러 번 쓸 수 있음)", "PLATFORM:SLUG (may be repeated)"),
    "help.--alias": ("다른 이름 (여러 번 쓸 수 있음)", "Another name (may be repeated)"),
    "help.--origin": ("WATCHED(관심), DISCOVERED(발견), ALL", "WATCHED, DISCOVERED or ALL"),
    "help.NAME_OR_ID": ("회사 이름이나 번호", "The company's name or id"),
    "help.ALIAS": ("다른 이름", "The other name"),
    "help.BOARD": ("플랫폼:슬러그 (예: GREENHOUSE:daangn)", "PLATFORM:SLUG, such as GREENHOUSE:daangn"),
    "help.--check": ("등록하기 전에 게시판이 있는지 물어봅니다.", "Ask whether the board exists first."),
    "help.probe": (
        "회사의 채용 게시판을 찾아 보여 줍니다. 등록하지는 않습니다.",
        "Look for the boards of a company; nothing is registered.",
    ),
    "help.probe NAME": ("회사 이름", "The company's name"),
    "help.URL": ("회사의 채용 페이지나 게시판 주소", "Address of its career page or board"),
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
    "help.CATEGORY": ("직무 카테고리 코드", "Code of the job category"),
    # --- companies ------------------------------------------------------------------------------------------------
    "company.added": (
        "등록했습니다: {name} (회사 {company_id}, 소스 {sources}개)",
        "Registered: {name} (company {company_id}, {sources:source/sources})",
    ),
    "company.none": (
        "등록된 회사가 없습니다. 'gonggo company add 이름 --source 플랫폼:슬러그'로 등록하세요.",
        "No companies yet: register one with 'gonggo company add NAME --source PLATFORM:SLUG'.",
    ),
    "company.counts": (
        "관심 회사 {watched}곳, 발견한 회사 {discovered}곳",
        "{watched:company/companies} watched, {discovered} discovered",
    ),
    "company.more": (
        "모두 {total}곳 중 {shown}곳까지 보였습니다. 다음 쪽: --page {page}",
        "Shown up to {shown} of {total}. Next page: --page {page}",
    ),
    "company.one": ("회사 {company_id}: {name} ({origin})", "Company {company_id}: {name} ({origin})"),
    "company.aliases": ("다른 이름: {aliases}", "Aliases: {aliases}"),
    "company.no_sources": (
        "소스가 없습니다. 게시판을 찾으려면: {command}",
        "It has no source. To look for boards: {command}",
    ),
    "company.promoted": (
        "관심 회사로 올렸습니다: {name}. 새 공고를 하나씩 알립니다.",
        "Watched from now on: {name}. Its new postings are told one by one.",
    ),
    "company.watched": ("이미 관심 회사입니다: {name}", "Watched already: {name}"),
    "company.alias_added": (
        "더했습니다: {alias}. 이 이름으로 온 공고도 이 회사의 것입니다.",
        "Added: {alias}. Postings under that name belong to this company too.",
    ),
    "company.alias_known": ("이미 이 회사의 이름입니다: {alias}", "That is this company's name already: {alias}"),
    "company.alias_removed": ("지웠습니다: {alias}", "Removed: {alias}"),
    # --- sources --------------------------------------------------------------------------------------------------
    "source.added": (
        "등록했습니다: {platform} {category} (소스 {source_id})",
        "Followed: {platform} {category} (source {source_id})",
    ),
    "source.followed_again": (
        "다시 수집합니다: {platform} {category} (소스 {source_id})",
        "Followed again: {platform} {category} (source {source_id})",
    ),
    "source.terms": ("{platform} 약관 참고: {terms}", "{platform}, terms: {terms}"),
    "source.enabled": ("다시 수집합니다: {label}", "Followed again: {label}"),
    "source.enabled_already": ("이미 수집하고 있습니다: {label}", "Followed already: {label}"),
    "source.disabled": ("수집을 멈췄습니다: {label}", "Stopped: {label}"),
    "source.disabled_already": (
        "이미 멈춘 소스입니다: {label}. 다시 수집하려면 'gonggo source enable {source_id}'",
        "Stopped already: {label}. To follow it again: 'gonggo source enable {source_id}'",
    ),
    "source.none": (
        "등록된 소스가 없습니다. 'gonggo company add'나 'gonggo source add'로 등록하세요.",
        "No sources yet: see 'gonggo company add' and 'gonggo source add'.",
    ),
    "source.no_categories": (
        "{platform}에는 카테고리가 없습니다. 회사별로 등록하세요: gonggo company add 이름 --source {platform}:슬러그",
        "{platform} has no categories; it is followed by company: gonggo company add NAME --source {platform}:SLUG",
    ),
    "probe.registered": (
        "등록된 게시판: {board} ({state}, 소스 {source_id})",
        "Registered: {board} ({state}, source {source_id})",
    ),
    "probe.unconfirmed": (
        "확인하지 못했습니다: {address} ({outcome}: {reason})",
        "Not confirmed: {address} ({outcome}: {reason})",
    ),
    "probe.again": ("주소를 붙여 다시 찾기: gonggo probe {name} 주소", "With the address: gonggo probe {name} ADDRESS"),
    "probe.followed": (
        "이미 등록된 게시판뿐입니다. 'gonggo status'로 오늘의 수집을 보세요.",
        "All of these are registered already: see 'gonggo status' for today's collection.",
    ),
    "probe.next": ("다음 명령: {command}", "Next: {command}"),
    "probe.how": ("게시판의 공고를 미리 보려면: {command}", "To see what the board publishes: {command}"),
    # --- looking for boards (`company.model.DiscoveryHint`) ---
    "discovery.REGISTER": (
        "후보를 골라 회사를 등록하세요.",
        "Register the company with one of these candidates.",
    ),
    "discovery.COMPARE": (
        "이름으로 짐작한 후보입니다. 다른 회사의 게시판일 수 있으니 공고를 보고 등록하세요.",
        "The candidates are guesses from the name and may be another company's: look at the postings, then register.",
    ),
    "discovery.GIVE_SITE": (
        "이름으로는 찾지 못했습니다. 회사 채용 페이지의 주소를 함께 알려 주세요.",
        "Nothing was found by the name: give the address of the company's career page too.",
    ),
    "discovery.REGISTER_MANUALLY": (
        "찾지 못했습니다. 소스 없이 등록해 공고를 직접 넣거나, 채용 사이트의 카테고리를 등록하세요.",
        "Nothing was found: register the company without a source, or follow a category of a job board.",
    ),
    "discovery.TRY_AGAIN": (
        "찾지 못했지만 확인하지 못한 곳이 있습니다. 사유를 보고 나중에 다시 찾으세요.",
        "Nothing was found, but not everything could be asked: see why, and look again later.",
    ),
    # --- refusals -------------------------------------------------------------------------------------------------
    "error.source_form": (
        "게시판은 플랫폼:슬러그로 쓰세요 (예: GREENHOUSE:daangn): {value}",
        "A board is PLATFORM:SLUG, such as GREENHOUSE:daangn, not {value}",
    ),
    "error.company_exists": (
        "같은 이름의 회사가 이미 있습니다: {company_id} {name}. 게시판은 'gonggo company source add {quoted}"
        " 플랫폼:슬러그', 다른 이름은 'gonggo company alias add {quoted} 이름'으로 더하세요.",
        "A company of that name is registered already: {company_id} {name}. Add boards with 'gonggo company source add"
        " {quoted} PLATFORM:SLUG' and other names with 'gonggo company alias add {quoted} ALIAS'.",
    ),
    "error.alias_taken": (
        "다른 회사의 이름입니다: {company_id} {name}. 'gonggo company show {company_id}'로 확인하세요.",
        "Another company has that name: {company_id} {name}. See 'gonggo company show {company_id}'.",
    ),
    "error.company_name": (
        "그런 이름의 회사가 없습니다: {name}. 'gonggo company list'로 확인하거나 'gonggo company add'로 등록하세요.",
        "There is no company {name}: see 'gonggo company list', or register it with 'gonggo company add'.",
    ),
    "error.alias_unknown": (
        "이 회사에 없는 이름입니다: {alias}. 'gonggo company show {company_id}'로 확인하세요.",
        "The company has no alias {alias}: see 'gonggo company show {company_id}'.",
    ),
    "error.source_followed": (
        "이미 등록된 소스입니다: {source_id}. 'gonggo source list'로 확인하세요.",
        "The source is followed already: {source_id}. See 'gonggo source list'.",
    ),
    "error.source_off": (
        "멈춰 둔 소스입니다. 'gonggo source enable {source_id}'로 다시 수집하세요.",
        "The source is stopped: run 'gonggo source enable {source_id}'.",
    ),
    "error.source_unknown": (
        "없는 소스입니다: {source_id}. 'gonggo source list'로 확인하세요.",
        "There is no source {source_id}: see 'gonggo source list'.",
    ),
    "error.board_unread": (
        "게시판을 확인하지 못해 등록하지 않았습니다: {board} ({outcome}: {reason})."
        " 슬러그를 확인하거나 나중에 다시 하세요.",
        "Not registered, for the board could not be read: {board} ({outcome}: {reason}). Check its slug or try later.",
    ),
    "error.category": (
        "{platform}에 없는 직무 카테고리입니다: {code}. 'gonggo source categories {platform}'로 확인하세요.",
        "{platform} has no job category {code}: see 'gonggo source categories {platform}'.",
    ),
    "error.invalid": ("{field} 값이 올바르지 않습니다: {reason}", "The value of {field} is wrong: {reason}"),
    # --- why a value is unfit (`company.model.Unfit`) ---
    "reason.EMPTY": ("비어 있습니다", "empty"),
    "reason.TOO_LONG": ("{limit}자보다 깁니다", "longer than {limit} characters"),
    "reason.CONTROL_CHARACTERS": (
        "줄바꿈 같은 제어 문자가 들어 있습니다",
        "holds line breaks or other control characters",
    ),
    "reason.NOT_AN_AGGREGATOR": (
        "{platform}은 회사별 게시판입니다. 'gonggo company add 이름 --source {platform}:슬러그'로 등록하세요",
        "{platform} is a company's own board: run 'gonggo company add NAME --source {platform}:SLUG'",
    ),
    "reason.NOT_A_BOARD": (
        "{platform}은 여러 회사의 채용 사이트입니다. 'gonggo source add {platform} 카테고리'로 등록하세요",
        "{platform} is a job board of many companies: run 'gonggo source add {platform} CATEGORY'",
    ),
    "reason.NOT_A_SLUG": (
        "{slug!r}은(는) {platform}의 슬러그가 될 수 없습니다",
        "{slug!r} can't be a slug of {platform}",
    ),
    "reason.ANOTHER_HOST": ("{host}의 주소가 아닙니다", "not an address of {host}"),
    "reason.NOT_AN_ADDRESS": ("웹 주소가 아닙니다", "not an address of the web"),
    "reason.NOT_WEB": (
        "http와 https의 기본 포트만, 비밀번호 없이 쓸 수 있습니다",
        "only http and https are asked, on their own port, without a password",
    ),
    "reason.NOT_PUBLIC": (
        "공개 인터넷의 주소가 아닙니다",
        "not an address of the public internet",
    ),
    "reason.GIVEN_TWICE": ("{board}을(를) 두 번 썼습니다", "{board} is given twice"),
}
