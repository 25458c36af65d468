"""Tables of the person's criteria and of what came of them (seed 001, matching)."""

from sqlalchemy import Column, Index, Integer, String, Table, UniqueConstraint

from daemon.db import MYSQL_TABLE, BigId, Flag, UtcDateTime, id_column, metadata

job_keyword_groups = Table(
    "job_keyword_groups",
    metadata,
    id_column(),
    Column("display_name", String(100), nullable=False, comment="Name of the group, for a person"),
    Column("deleted_at", UtcDateTime, comment="Removed at, UTC; NULL = in force"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    comment="Jobs the person looks for; any synonym in the title is a match",
    **MYSQL_TABLE,
)

job_keyword_synonyms = Table(
    "job_keyword_synonyms",
    metadata,
    id_column(),
    Column("job_keyword_group_id", BigId, nullable=False, comment="job_keyword_groups.id"),
    Column("synonym", String(100), nullable=False, comment="Word as the person wrote it"),
    Column("normalized_value", String(100), nullable=False, comment="Normal form of the word, for matching"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # A word counts once per group; also the look-up by group.
    UniqueConstraint("job_keyword_group_id", "normalized_value", name="uk_job_keyword_synonyms_group_value"),
    comment="Words of a keyword group",
    **MYSQL_TABLE,
)

job_exclusion_keywords = Table(
    "job_exclusion_keywords",
    metadata,
    id_column(),
    Column("keyword", String(100), nullable=False, comment="Word as the person wrote it"),
    Column("normalized_value", String(100), nullable=False, comment="Normal form of the word, for matching"),
    Column("deleted_at", UtcDateTime, comment="Removed at, UTC; NULL = in force"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    comment="Words that rule a posting out when they are in its title",
    **MYSQL_TABLE,
)

work_arrangement_keywords = Table(
    "work_arrangement_keywords",
    metadata,
    id_column(),
    Column("keyword", String(100), nullable=False, comment="Word as the person wrote it, such as 재택"),
    Column("normalized_value", String(100), nullable=False, comment="Normal form of the word, for matching"),
    Column("deleted_at", UtcDateTime, comment="Removed at, UTC; NULL = in force"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    comment="Words that tell of a work arrangement the person wants",
    **MYSQL_TABLE,
)

match_criteria_revisions = Table(
    "match_criteria_revisions",
    metadata,
    id_column(),
    Column("revision", Integer, nullable=False, comment="Number of the criteria, counted up by each change"),
    Column("change_target", String(40), nullable=False, comment="Which part of the criteria changed"),
    Column("change_reason", String(200), nullable=False, comment="What changed, for a person"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # Two changes at once never get one number; the newest is the end of this key.
    UniqueConstraint("revision", name="uk_match_criteria_revisions_revision"),
    comment="History of the criteria; the largest revision is in force",
    **MYSQL_TABLE,
)

job_posting_match_results = Table(
    "job_posting_match_results",
    metadata,
    id_column(),
    Column("job_posting_id", BigId, nullable=False, comment="job_postings.id"),
    Column("criteria_revision", Integer, nullable=False, comment="match_criteria_revisions.revision it was judged by"),
    Column("matched", Flag, nullable=False, comment="1 = a keyword is in the title"),
    Column("notifiable", Flag, nullable=False, comment="1 = matched and not ruled out"),
    Column("top_confidence", String(20), nullable=False, comment="CONFIRMED / LIKELY / INFERRED / UNKNOWN"),
    Column("work_arrangement_sort_rank", Integer, nullable=False, comment="1 CONFIRMED, 2 LIKELY, 99 anything else"),
    Column("evaluated_at", UtcDateTime, nullable=False, comment="Judged at, UTC"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    Column(
        "posting_version",
        Integer,
        comment="job_postings.version it was made from; NULL = unknown. Another version means another text to judge",
    ),
    # One result per posting.
    UniqueConstraint("job_posting_id", name="uk_job_posting_match_results_posting"),
    # Which postings were not yet judged by the criteria in force.
    Index("idx_job_posting_match_results_revision", "criteria_revision", "job_posting_id"),
    # The surest work arrangements first, of these those found last.
    Index("idx_job_posting_match_results_rank", "work_arrangement_sort_rank", "job_posting_id"),
    # Postings that match and are not ruled out: the first page, lists, calendar and feed begin at these few.
    Index("idx_job_posting_match_results_notifiable", "notifiable", "job_posting_id"),
    comment="How a posting fares against the criteria; rewritten by each evaluation",
    **MYSQL_TABLE,
)

job_posting_matched_keyword_groups = Table(
    "job_posting_matched_keyword_groups",
    metadata,
    id_column(),
    Column("job_posting_match_result_id", BigId, nullable=False, comment="job_posting_match_results.id"),
    Column("job_keyword_group_id", BigId, nullable=False, comment="job_keyword_groups.id"),
    Column("matched_synonym", String(100), nullable=False, comment="Word that was in the title"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # A group counts once per result; also the look-up by result.
    UniqueConstraint(
        "job_posting_match_result_id",
        "job_keyword_group_id",
        name="uk_job_posting_matched_keyword_groups_result_group",
    ),
    comment="Which keyword groups matched; derived, so an evaluation may delete and rewrite it",
    **MYSQL_TABLE,
)

job_posting_work_arrangements = Table(
    "job_posting_work_arrangements",
    metadata,
    id_column(),
    Column("job_posting_id", BigId, nullable=False, comment="job_postings.id"),
    Column("work_arrangement_keyword_id", BigId, nullable=False, comment="work_arrangement_keywords.id"),
    Column("evidence_stage", String(30), nullable=False, comment="STRUCTURED_FIELD / DESCRIPTION_BODY"),
    Column("confidence", String(20), nullable=False, comment="CONFIRMED / LIKELY / INFERRED / UNKNOWN"),
    Column("snippet", String(500), nullable=False, comment="Words around the evidence, for a person"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # A keyword is evidence once per posting; also the look-up by posting.
    UniqueConstraint(
        "job_posting_id", "work_arrangement_keyword_id", name="uk_job_posting_work_arrangements_posting_keyword"
    ),
    comment="Evidence of a work arrangement; derived, so an evaluation may delete and rewrite it",
    **MYSQL_TABLE,
)
