"""What the page of criteria says."""

TEXTS: dict[str, tuple[str, str]] = {
    "page.criteria.what": (
        "무엇을 찾는지 적습니다. 맞지 않는 공고도 버리지 않으니 언제든 바꿔도 됩니다.",
        "What you look for. Postings that don't match are kept, so change it whenever you like.",
    ),
    "page.groups": ("찾는 일", "Jobs to look for"),
    "page.groups.what": (
        "제목에 이 말들 가운데 하나라도 있으면 맞는 공고입니다. 대소문자, 띄어쓰기, 붙임표는 가리지 않습니다.",
        "A title with one of these words matches, whatever its case, blanks and hyphens.",
    ),
    "page.groups.none": ("아직 없습니다. 아래에 첫 번째를 적으세요.", "None yet: write the first one below."),
    "page.groups.example_name": ("백엔드", "Backend"),
    "page.groups.example": ("백엔드, backend, 서버 개발", "backend, back-end, server engineer"),
    "page.optional.first": ("(비우면 첫 번째 말)", "(empty: the first word)"),
    "page.exclusions": ("빼는 말", "Words that rule out"),
    "page.exclusions.what": (
        "제목에 이 말이 있으면 알리지 않습니다.",
        "A title with one of these is not told.",
    ),
    "page.arrangements": ("근무형태를 알려 주는 말", "Words for a work arrangement"),
    "page.arrangements.what": (
        "항목과 본문에서 찾아 보여 줍니다. ‘재택근무 불가’처럼 부정하는 곳은 세지 않습니다.",
        "Looked for in fields and texts; where they are denied (“no remote”) they don't count.",
    ),
    "page.arrangements.example": ("재택근무, 원격근무, remote", "remote, hybrid, work from home"),
    "page.preview": ("바꾸면 어떻게 되나", "What it would change"),
    "page.preview.none": (
        "말을 적으면 모아 둔 공고로 먼저 시험해 보여 줍니다.",
        "Write words, and they are tried on the stored postings first.",
    ),
    "page.preview.do": ("먼저 보기", "Try it first"),
    "page.preview.without": ("이것이 없다면?", "What without it?"),
    "page.preview.unfit": (
        "글자나 숫자가 든 말을 100자 안에서 쓰세요.",
        "Write words with a letter or digit, of 100 characters at most.",
    ),
    "page.preview.of": (
        "모아 둔 공고 {count}건 가운데 맞는 공고",
        "matching, of {count:stored posting/stored postings}",
    ),
    "page.preview.gained": ("새로 맞는 공고 {count}건", "{count} gained"),
    "page.preview.lost": ("빠지는 공고 {count}건", "{count} lost"),
    "page.preview.same": ("달라지는 공고가 없습니다.", "Nothing would change."),
    "page.preview.more": ("외 {count}건", "and {count} more"),
}
