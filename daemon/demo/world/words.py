"""The vocabulary of the demo's postings: invented companies, Korean titles, texts. Only words, no choices."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.demo.world.model import Arrangement

COMPANY_HEADS = (
    *("가온", "나래", "누리", "다온", "도담", "라온", "마루", "미르", "바름", "벼리", "보람", "빛가람", "새론", "샘솟"),
    *("소담", "슬기", "아름", "아토", "여울", "예솔", "온새미", "윤슬", "이든", "이음", "자람", "잇다", "조아", "찬솔"),
    *("초롱", "크레온", "타래", "터울", "파란", "푸름", "하람", "한결", "해솔", "휘연", "늘봄", "그루", "물결", "별하"),
)
COMPANY_TAILS = (
    *("소프트", "테크", "랩스", "시스템즈", "네트웍스", "데이터", "클라우드", "페이", "모빌리티", "로보틱스", "헬스"),
    *("커머스", "게임즈", "미디어", "에듀", "바이오", "에너지", "솔루션", "인사이트", "파이낸셜", "로지스", "푸드"),
    *("AI", "스튜디오", "플랫폼", "웍스", "이노베이션", "시큐리티", "엔진", "디지털"),
)
ENGLISH_NAMES = (
    "Bluewave",
    "Nimbus",
    "Lantern",
    "Hangang",
    "Moonlit",
    "Pinetree",
    "Sketchers",
    "Tidal",
    "Orbit",
    "Kite",
)

DOMAINS = (
    *(
        "결제",
        "정산",
        "광고",
        "검색",
        "추천",
        "물류",
        "배송",
        "커머스",
        "콘텐츠",
        "채팅",
        "지도",
        "모빌리티",
        "헬스케어",
    ),
    *("보험", "증권", "인증", "보안", "IoT", "메타데이터", "예약", "구독", "교육", "게임", "R&D", "AI 플랫폼"),
)
TEAMS = (
    "플랫폼팀",
    "코어팀",
    "성장팀",
    "파운데이션팀",
    "서비스개발팀",
    "기술연구소",
    "신사업팀",
    "글로벌팀",
    "데이터팀",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """A kind of job: how its titles are put together and what its texts list."""

    titles: tuple[str, ...]
    stack: tuple[str, ...]
    tasks: tuple[str, ...]


BACKEND = Family(
    titles=(
        "백엔드 개발자 ({stack})",
        "{domain} 서버 개발자 채용 ({career})",
        "[{domain}] 백엔드 엔지니어",
        "Backend Engineer - {domain}",
        "{domain} 서비스 Java/Spring 개발자 모집",
        "Senior Back-End Developer ({stack}), {domain}",
        "{domain} C++/C# 시스템 개발자 <{team}>",
        "{domain} 플랫폼 API 개발 | {team}",
        "Node.js 서버 개발자 & {domain} 운영",
    ),
    stack=(
        "Java",
        "Kotlin",
        "Spring",
        "Node.js",
        "Go",
        "Python",
        "MySQL",
        "Redis",
        "Kafka",
        "AWS",
        "Kubernetes",
        "C++",
    ),
    tasks=(
        "{domain} 도메인의 API를 설계하고 개발합니다",
        "대용량 트래픽을 처리하는 {stack} 서비스를 운영합니다",
        "레거시 모듈을 마이크로서비스로 옮깁니다",
        "장애를 분석하고 재발을 막는 도구를 만듭니다",
        "데이터베이스 모델링과 쿼리 최적화를 맡습니다",
    ),
)
FRONTEND = Family(
    titles=(
        "프론트엔드 개발자 ({stack})",
        "{domain} 웹 프론트엔드 엔지니어",
        "[{domain}] React 개발자 ({career})",
        "Frontend Developer, {domain}",
        "웹퍼블리셔 / UI 개발 ({domain})",
        "{domain} JavaScript·TypeScript 개발자 모집",
    ),
    stack=("React", "TypeScript", "JavaScript", "Next.js", "Vue", "HTML", "CSS", "Webpack", "GraphQL"),
    tasks=(
        "{domain} 화면을 {stack}(으)로 개발합니다",
        "디자인 시스템의 공통 컴포넌트를 만듭니다",
        "웹 성능을 재고 개선합니다",
        "디자이너, 백엔드 개발자와 함께 화면 흐름을 정합니다",
    ),
)
DATA = Family(
    titles=(
        "데이터 엔지니어 ({stack})",
        "{domain} 머신러닝 엔지니어 ({career})",
        "[{domain}] 데이터 분석가",
        "ML Platform Engineer - {domain}",
        "{domain} 데이터 파이프라인 개발자",
    ),
    stack=("Python", "Spark", "Airflow", "SQL", "Kafka", "PyTorch", "dbt", "Hadoop"),
    tasks=(
        "{domain} 데이터를 모으고 가공하는 파이프라인을 운영합니다",
        "실험을 설계하고 결과를 해석합니다",
        "{stack} 기반 배치와 스트리밍 작업을 개발합니다",
    ),
)
INFRA = Family(
    titles=(
        "DevOps 엔지니어 ({stack})",
        "{domain} 시스템 엔지니어 모집",
        "SRE / {domain} 인프라 ({career})",
        "{domain} 정보보안 담당자",
        "QA 엔지니어 - {domain} 자동화",
    ),
    stack=("Kubernetes", "Terraform", "AWS", "Linux", "Ansible", "Prometheus", "Docker"),
    tasks=(
        "{stack} 환경의 배포 파이프라인을 관리합니다",
        "{domain} 서비스의 모니터링과 장애 대응을 맡습니다",
        "비용과 용량을 계획합니다",
    ),
)
BUSINESS = Family(
    titles=(
        "{domain} 서비스 기획자 ({career})",
        "Product Manager, {domain}",
        "{domain} 마케팅 매니저",
        "UX/UI 디자이너 ({domain})",
        "{domain} 사업개발 담당자 채용",
        "HRBP | {team}",
    ),
    stack=("Figma", "SQL", "Notion", "Excel", "GA4"),
    tasks=(
        "{domain} 서비스의 로드맵을 세우고 실행합니다",
        "고객 문제를 정의하고 가설을 검증합니다",
        "이해관계자와 일정을 조율합니다",
    ),
)
HOSPITAL = Family(
    titles=(
        "계약직 신입직원 [{ward} 조무사] 공개채용 모집공고",
        "{ward} 간호사 경력직 채용",
        "[{ward}] 사무직 공개채용 모집",
        "의료정보팀 전산직({career}) 채용 - {ward}",
        "{ward} 의료기사(방사선사) 모집",
    ),
    stack=("EMR", "OCS", "PACS"),
    tasks=("{ward}의 환자 안내와 간호 보조 업무", "진료 기록과 장비를 관리하는 업무", "{ward} 행정 지원 업무"),
)
BANK = Family(
    titles=(
        "하반기 {bank} 부문 신입행원 채용",
        "{bank} 전문직무직원 채용 ({career})",
        "IT부문 {bank} 시스템 개발 경력직 채용",
        "[{bank}] 계약직원 공개채용",
    ),
    stack=("Java", "COBOL", "Oracle", "SAS"),
    tasks=("{bank} 상품의 기획과 심사", "{bank} 시스템의 개발과 운영", "{bank} 관련 규제 대응과 보고"),
)
WARDS = (
    "간호본부",
    "응급의료센터",
    "영상의학과",
    "외래",
    "중환자실",
    "건강증진센터",
    "원무팀",
    "약제실",
    "진단검사의학과",
)
BANK_FIELDS = ("디지털", "기업금융", "자산관리", "리스크", "외환", "여신심사", "정보보호", "준법감시")

INTROS = (
    "{company}은(는) {domain} 문제를 기술로 푸는 회사입니다.",
    "{company}의 {team}에서 {domain} 서비스를 함께 만들 동료를 찾습니다.",
    "빠르게 성장하는 {domain} 시장에서 {company}와(과) 함께할 분을 모십니다.",
)
REQUIREMENTS = (
    "{stack} 사용 경험 {years}",
    "컴퓨터공학 또는 그에 준하는 지식",
    "RESTful API와 HTTP에 대한 이해",
    "코드 리뷰와 문서화에 익숙하신 분",
    "원활한 커뮤니케이션이 가능한 분",
    "학력 무관, {years}",
)
PREFERRED = (
    "{domain} 도메인 경험",
    "오픈소스 기여 경험",
    "대용량 데이터 처리 경험",
    "영어로 의사소통이 가능하신 분",
    "테스트 자동화 경험 (CI/CD)",
    "스타트업에서 서비스를 처음부터 만들어 본 경험",
)
CONDITIONS = (
    "고용형태: {employment}(수습기간 3개월)",
    "근무지: {city} {district}",
    "급여: 회사 내규에 따름 / 면접 후 결정",
    "근무시간: 주 5일, 10:00~19:00",
)
PROCESSES = (
    ("서류전형 > 1차 면접 > 2차 면접 > 최종합격",),
    ("서류 접수", "코딩 테스트", "직무 면접", "처우 협의"),
    ("제출서류: 이력서, 포트폴리오(선택)", "서류 > 과제 > 컬처핏 면접 > 합격"),
)
ARRANGEMENTS: dict[Arrangement, tuple[str, ...]] = {
    Arrangement.REMOTE: (
        "전면 원격근무로 일하며 사무실 출근은 자율입니다",
        "전 직원 재택근무를 원칙으로 합니다",
        "Fully remote within Korea time zone",
    ),
    Arrangement.HYBRID: (
        "주 2회 재택근무가 가능합니다",
        "하이브리드 근무(월·금 재택)를 운영합니다",
        "주 3일 출근, 나머지는 원격근무를 선택할 수 있어요",
    ),
    Arrangement.DENIED: (
        "본 포지션은 재택근무 불가 포지션입니다",
        "보안 규정상 원격근무는 지원하지 않습니다",
        "상주 근무이며 재택 없음",
        "No remote work, on-site only in Seoul",
    ),
    Arrangement.LOOKALIKE: (
        "고객사 원격 지원 도구를 개발합니다",
        "원격 제어 솔루션 운영 경험이 도움이 됩니다",
        "원격의료 플랫폼에 관심이 있으신 분",
    ),
    Arrangement.SILENT: (),
}
EDITED_LINES = (
    "채용 인원이 늘어 자격요건을 일부 조정했습니다",
    "우대사항에 클라우드 운영 경험을 더했습니다",
    "면접 절차가 한 단계 줄었습니다",
)
PLACES = (
    ("서울", "강남구"),
    ("서울", "성동구"),
    ("서울", "영등포구"),
    ("서울", "마포구"),
    ("서울", "송파구"),
    ("서울", "구로구"),
    ("경기", "성남시 분당구"),
    ("경기", "수원시"),
    ("대전", "유성구"),
    ("부산", "해운대구"),
    ("인천", "연수구"),
)
EMPLOYMENTS = ("정규직", "정규직", "정규직", "계약직", "인턴")
