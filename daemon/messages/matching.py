"""What is said of the person's criteria."""

TEXTS: dict[str, tuple[str, str]] = {
    "help.criteria": ("찾는 직무와 근무형태를 정합니다.", "Say which jobs and work arrangements you look for."),
    "help.criteria list": ("지금의 기준을 보여 줍니다.", "Show the criteria in force."),
    "help.criteria add": (
        "낱말을 기준에 더합니다. 동의어가 없으면 그 낱말 자체로 찾습니다.",
        "Look for a word. A keyword without synonyms stands for itself.",
    ),
    "help.criteria remove": ("낱말을 기준에서 뺍니다.", "Take a word out of the criteria."),
    "help.criteria preview": (
        "저장된 공고 가운데 무엇이 걸리는지 미리 봅니다. 바꾸지는 않습니다.",
        "Show which stored postings a word would match, without keeping it.",
    ),
    "help.criteria re-evaluate": (
        "저장된 공고를 지금의 기준으로 다시 평가합니다. 사이트에는 묻지 않습니다.",
        "Judge the stored postings by the criteria in force; no site is asked.",
    ),
    "help.KIND": (
        "keyword(직무)·exclusion(제외)·arrangement(근무형태)",
        "keyword (job), exclusion, or arrangement (work arrangement)",
    ),
    "help.WORD": ("낱말", "Word"),
    "help.NUMBER": ("번호 (gonggo criteria list)", "Number (gonggo criteria list)"),
    "help.--synonym": ("동의어 (여러 번 쓸 수 있음)", "Synonym (may be repeated)"),
    "help.--force": ("이미 평가된 공고도 다시 평가합니다.", "Judge those that are up to date, too."),
    "column.synonyms": ("동의어", "Synonyms"),
    "column.title": ("제목", "Title"),
    "column.excluded_by": ("제외어", "Ruled out by"),
    "criteria.none": (
        "아직 기준이 없습니다. 'gonggo criteria add keyword 백엔드 --synonym backend'처럼 더하세요.",
        "No criteria yet: add one, such as 'gonggo criteria add keyword 백엔드 --synonym backend'.",
    ),
    "criteria.revision": ("기준 {revision}판", "Revision {revision}"),
    "criteria.added": (
        "더했습니다: {word} ({id}번, 기준 {revision}판). 저장된 공고에는 'gonggo criteria re-evaluate'로 적용합니다.",
        "Added: {word} (number {id}, revision {revision}). 'gonggo criteria re-evaluate' applies it to what is stored.",
    ),
    "criteria.removed": ("뺐습니다: {id}번 (기준 {revision}판)", "Removed: number {id} (revision {revision})"),
    "criteria.previewed": (
        "공고 {total}건 가운데 {matched}건이 걸립니다. 그중 제외어에 걸린 것은 {excluded}건입니다.",
        "{matched} of {total:posting/postings} would match, of which {excluded} are ruled out.",
    ),
    "criteria.re_evaluated": (
        "{evaluated}건을 평가했습니다. 이미 최신인 {skipped}건은 그대로 두었습니다. (기준 {revision}판)",
        "{evaluated:posting/postings} evaluated, {skipped} were up to date. (Revision {revision})",
    ),
    "error.criterion_kind": ("종류는 {kinds} 가운데 하나입니다: {value}", "The kind is one of {kinds}, not {value}"),
    "error.synonym": (
        "--synonym은 keyword에만 쓸 수 있습니다: {kind}",
        "--synonym goes with keyword only, not with {kind}",
    ),
    "error.criterion_exists": (
        "같은 낱말이 이미 있습니다: {id}번 {name}",
        "The same is there already: number {id}, {name}",
    ),
    "error.criteria_full": ("더 넣을 수 없습니다. 최대 {limit}개입니다.", "There is no room for more than {limit}."),
    "error.criterion_unknown": (
        "그런 번호가 없습니다: {id}. 'gonggo criteria list'로 확인하세요.",
        "There is no number {id}: see 'gonggo criteria list'.",
    ),
    # --- why a word can't be one (`matching.model.InvalidCriterion`, by its field) ---
    "invalid.display_name": (
        "낱말에는 글자나 숫자가 있어야 하고 100자까지입니다. 고쳐서 다시 쓰세요.",
        "A word needs a letter or a digit, and may have 100 characters: write another one.",
    ),
    "invalid.keyword": (
        "낱말에는 글자나 숫자가 있어야 하고 100자까지입니다. 고쳐서 다시 쓰세요.",
        "A word needs a letter or a digit, and may have 100 characters: write another one.",
    ),
    "invalid.synonyms": (
        "동의어는 50개까지이며, 저마다 글자나 숫자가 있고 100자까지여야 합니다. 고쳐서 다시 쓰세요.",
        "There may be 50 synonyms, each with a letter or a digit, and of up to 100 characters: write others.",
    ),
}
