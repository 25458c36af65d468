"""What the board and the pages of applications say."""

TEXTS: dict[str, tuple[str, str]] = {
    "page.applications.none": (
        "아직 지원한 공고가 없습니다. 공고에서 ‘지원했음’을 누르면 여기에 나타납니다.",
        "No applications yet. Press “I applied” on a posting, and it appears here.",
    ),
    "page.applications.none.look": ("맞는 공고 보기", "See what matches"),
    "page.applications.more": (
        "모두 {total}건 중 최근에 움직인 {shown}건입니다.",
        "The {shown} that moved last, of {total}.",
    ),
    "page.application.posting": ("공고 보기", "See the posting"),
    "page.application.track": ("지원 단계", "Stages"),
    "page.ended": ("끝난 지원", "Ended"),
    "page.rejected_at": ("{stage}에서", "at {stage}"),
    "page.move": ("옮기기", "Move"),
    "page.move.on": ("다음 단계로", "Move it on"),
    "page.timeline": ("지나온 길", "Timeline"),
    "page.rounds.none": ("적어 둔 면접이 없습니다.", "No interviews noted."),
    "page.round.add": ("면접 더하기", "Add a round"),
    "page.round.edit": ("고치기", "Edit"),
    "page.round.no_date": ("날짜 미정", "no date yet"),
    "page.round.no_result": ("아직 모름", "not known"),
}
