"""Tables of postings, their text and their tags (seed 001, ERD and storage notes)."""

from sqlalchemy import Column, Index, Integer, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, BigId, Flag, MediumText, UtcDateTime, id_column, metadata

job_postings = Table(
    "job_postings",
    metadata,
    id_column(),
    Column("company_id", BigId, nullable=False, comment="companies.id"),
    Column("job_source_id", BigId, comment="job_sources.id; NULL = entered by hand"),
    Column(
        "representative_id", BigId, comment="job_postings.id that stands for this duplicate; NULL = stands for itself"
    ),
    Column("dedup_key", String(255), comment="Normal form of company and title, equal across sources"),
    Column("posting_origin", String(20), nullable=False, comment="COLLECTED / MANUAL"),
    Column("source_job_id", String(200), comment="The site's stable id of the posting; NULL = entered by hand"),
    Column("title", String(500), nullable=False, comment="Title as the site shows it"),
    Column("posting_url", String(2000), nullable=False, comment="Address of the posting for a person"),
    Column("deadline_at", UtcDateTime, comment="Deadline, UTC; NULL = always open"),
    Column("posting_status", String(20), nullable=False, comment="OPEN / CLOSED"),
    Column("closed_reason", String(30), comment="NOT_FOUND_TWICE / DEADLINE_PASSED; NULL while open"),
    Column("closed_at", UtcDateTime, comment="Closed at, UTC; NULL while open"),
    Column("reopened_at", UtcDateTime, comment="Last reopened at, UTC; NULL = never"),
    Column("change_signal_kind", String(30), comment="UPDATED_AT / SOURCE_VERSION / DETAIL_BODY_HASH / FIELD_HASH"),
    Column(
        "change_signal_value", String(200), comment="Signature last seen; another value means the posting was edited"
    ),
    Column("changed_at", UtcDateTime, comment="Last edit noticed at, UTC; NULL = never"),
    Column(
        "consecutive_miss_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Complete cycles in a row without it; 2 close it",
    ),
    Column(
        "notification_eligible",
        Flag,
        nullable=False,
        server_default=text("1"),
        comment="0 = found while seeding, or a duplicate: never notified",
    ),
    Column("access_restricted", Flag, nullable=False, server_default=text("0"), comment="1 = its text needs a login"),
    Column("source_company_identifier", String(200), comment="The site's id of the company, where it has one"),
    Column("first_seen_at", UtcDateTime, nullable=False, comment="First found at, UTC"),
    Column("last_seen_at", UtcDateTime, nullable=False, comment="Last found at, UTC"),
    Column("detail_verified_at", UtcDateTime, comment="Its own page was last read at, UTC; NULL = never"),
    Column(
        "version", Integer, nullable=False, server_default=text("0"), comment="Optimistic lock, raised by each edit"
    ),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    Column(
        "dedup_pending",
        Flag,
        nullable=False,
        server_default=text("1"),
        comment="1 = touched since copies were last grouped; whatever can change its group sets it",
    ),
    Column(
        "eligible_alone",
        Flag,
        comment="notification_eligible if it stood for itself; NULL = it does",
    ),
    # Identity of a collected posting, and the delta's look-up of everything one source has (FR-11).
    UniqueConstraint("job_source_id", "source_job_id", name="uk_job_postings_source_job"),
    # The final delta: a source's open postings, however many closed ones it has.
    Index("idx_job_postings_source_status", "job_source_id", "posting_status", "id"),
    # Grouping of one posting's copies across sources (FR-63).
    Index("idx_job_postings_dedup_key", "dedup_key"),
    # What the 08:30 job has to look at, in order: few rows, however many there are in all (FR-63).
    Index("idx_job_postings_dedup_pending", "dedup_pending", "id"),
    # The copies that one representative stands for: their count in lists, their links on the page (FR-64).
    Index("idx_job_postings_representative", "representative_id"),
    # A company's list: representatives only, by status, paged by id.
    Index("idx_job_postings_company_status", "company_id", "posting_status", "representative_id", "id"),
    # The open, or the closed ones, found last first: lists of representatives, evaluation of all.
    Index("idx_job_postings_status", "posting_status", "id", "representative_id"),
    # The 00:30 sweep: open postings whose deadline has passed.
    Index("idx_job_postings_status_deadline", "posting_status", "deadline_at"),
    # What was touched since a job's last run, in order: deduplication, evaluation and the feed.
    Index("idx_job_postings_updated", "updated_at", "id"),
    # The list of all companies, found last first.
    Index("idx_job_postings_first_seen", "first_seen_at", "id"),
    comment="Job postings; never deleted, only closed",
    **MYSQL_TABLE,
)

job_posting_descriptions = Table(
    "job_posting_descriptions",
    metadata,
    id_column(),
    Column("job_posting_id", BigId, nullable=False, comment="job_postings.id"),
    Column("body", MediumText, nullable=False, comment="Text of the posting, white space collapsed"),
    Column("char_length", Integer, nullable=False, comment="Characters in the text"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # Only the latest text is kept.
    UniqueConstraint("job_posting_id", name="uk_job_posting_descriptions_posting"),
    comment="Text of a posting, apart from it so that deltas and lists never read it",
    **MYSQL_TABLE,
)

job_posting_source_tags = Table(
    "job_posting_source_tags",
    metadata,
    id_column(),
    Column("job_posting_id", BigId, nullable=False, comment="job_postings.id"),
    Column("tag_value", String(200), nullable=False, comment="Tag as the site gives it"),
    Column("normalized_value", String(200), nullable=False, comment="Normal form of the tag, for matching"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # A tag counts once per posting; also the look-up by posting.
    UniqueConstraint("job_posting_id", "tag_value", name="uk_job_posting_source_tags_posting_tag"),
    comment="Structured tags that a site gives a posting",
    **MYSQL_TABLE,
)
