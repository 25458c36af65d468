"""The v1 baseline: every table of the technical design (seed 001).

Rollback: with no data yet the tables may be dropped; `downgrade` refuses otherwise.
"""

from sqlalchemy import CHAR, Column, Date, Index, Integer, String, UniqueConstraint, text

from daemon.ddl import BIGINT, DATETIME6, MEDIUMTEXT, TINYINT1, SchemaChange, count_column, new_table

revision = "0001"
down_revision = None

STATUSES = "APPLIED / DOCUMENT_SCREENING / INTERVIEWING / OFFERED / ACCEPTED / REJECTED / WITHDRAWN / OFFER_DECLINED"

companies = new_table(
    "companies",
    Column("name", String(200), nullable=False, comment="Name as first shown"),
    Column("name_key", String(255), nullable=False, comment="Normal form of the name, by which companies are found"),
    Column("registration_type", String(20), nullable=False, comment="AUTO / MANUAL_ONLY (no source of its own)"),
    Column("company_origin", String(20), nullable=False, comment="WATCHED by the person / DISCOVERED on a board"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("name", name="uk_companies_name"),
    UniqueConstraint("name_key", name="uk_companies_name_key"),
    comment="Companies whose postings are kept",
)

job_sources = new_table(
    "job_sources",
    Column("company_id", BIGINT, comment="companies.id; NULL for an aggregator"),
    Column("platform", String(20), nullable=False, comment="Site: GREENHOUSE, WOOWAHAN, INCRUIT, SARAMIN, JUMPIT, …"),
    Column("source_type", String(20), nullable=False, comment="COMPANY_BOUND / AGGREGATOR"),
    Column("source_slug", String(200), comment="The company's name on the platform; NULL for an aggregator"),
    Column("base_url", String(500), comment="Address of the board; NULL = the platform's own"),
    Column("search_category_code", String(100), comment="The platform's job category; NULL when company-bound"),
    Column("search_keyword", String(200), comment="Search word, '' for none; NULL when company-bound"),
    Column("seeded_at", DATETIME6, comment="End of the first full cycle, UTC; NULL = still seeding, nothing notified"),
    Column("disabled_at", DATETIME6, comment="Switched off at, UTC; NULL = active"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("platform", "source_slug", name="uk_job_sources_platform_slug"),
    UniqueConstraint("platform", "search_category_code", "search_keyword", name="uk_job_sources_platform_search"),
    Index("idx_job_sources_company", "company_id"),
    comment="Where postings come from: one board of one company, or one search on an aggregator",
)

job_postings = new_table(
    "job_postings",
    Column("company_id", BIGINT, nullable=False, comment="companies.id"),
    Column("job_source_id", BIGINT, comment="job_sources.id; NULL = entered by hand"),
    Column(
        "representative_id", BIGINT, comment="job_postings.id that stands for this duplicate; NULL = stands for itself"
    ),
    Column("dedup_key", String(255), comment="Normal form of company and title, equal across sources"),
    Column("posting_origin", String(20), nullable=False, comment="COLLECTED / MANUAL"),
    Column("source_job_id", String(200), comment="The site's stable id of the posting; NULL = entered by hand"),
    Column("title", String(500), nullable=False, comment="Title as the site shows it"),
    Column("posting_url", String(2000), nullable=False, comment="Address of the posting for a person"),
    Column("deadline_at", DATETIME6, comment="Deadline, UTC; NULL = always open"),
    Column("posting_status", String(20), nullable=False, comment="OPEN / CLOSED"),
    Column("closed_reason", String(30), comment="NOT_FOUND_TWICE / DEADLINE_PASSED; NULL while open"),
    Column("closed_at", DATETIME6, comment="Closed at, UTC; NULL while open"),
    Column("reopened_at", DATETIME6, comment="Last reopened at, UTC; NULL = never"),
    Column("change_signal_kind", String(30), comment="UPDATED_AT / SOURCE_VERSION / DETAIL_BODY_HASH / FIELD_HASH"),
    Column(
        "change_signal_value", String(200), comment="Signature last seen; another value means the posting was edited"
    ),
    Column("changed_at", DATETIME6, comment="Last edit noticed at, UTC; NULL = never"),
    Column(
        "consecutive_miss_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Complete cycles in a row without it; 2 close it",
    ),
    Column(
        "notification_eligible",
        TINYINT1,
        nullable=False,
        server_default=text("1"),
        comment="0 = found while seeding, or a duplicate: never notified",
    ),
    Column(
        "access_restricted", TINYINT1, nullable=False, server_default=text("0"), comment="1 = its text needs a login"
    ),
    Column("source_company_identifier", String(200), comment="The site's id of the company, where it has one"),
    Column("first_seen_at", DATETIME6, nullable=False, comment="First found at, UTC"),
    Column("last_seen_at", DATETIME6, nullable=False, comment="Last found at, UTC"),
    Column("detail_verified_at", DATETIME6, comment="Its own page was last read at, UTC; NULL = never"),
    Column(
        "version", Integer, nullable=False, server_default=text("0"), comment="Optimistic lock, raised by each edit"
    ),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("job_source_id", "source_job_id", name="uk_job_postings_source_job"),
    Index("idx_job_postings_dedup_key", "dedup_key"),
    Index("idx_job_postings_company_status", "company_id", "posting_status", "representative_id", "id"),
    Index("idx_job_postings_status_deadline", "posting_status", "deadline_at"),
    comment="Job postings; never deleted, only closed",
)

job_posting_descriptions = new_table(
    "job_posting_descriptions",
    Column("job_posting_id", BIGINT, nullable=False, comment="job_postings.id"),
    Column("body", MEDIUMTEXT, nullable=False, comment="Text of the posting, white space collapsed"),
    Column("char_length", Integer, nullable=False, comment="Characters in the text"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("job_posting_id", name="uk_job_posting_descriptions_posting"),
    comment="Text of a posting, apart from it so that deltas and lists never read it",
)

job_posting_source_tags = new_table(
    "job_posting_source_tags",
    Column("job_posting_id", BIGINT, nullable=False, comment="job_postings.id"),
    Column("tag_value", String(200), nullable=False, comment="Tag as the site gives it"),
    Column("normalized_value", String(200), nullable=False, comment="Normal form of the tag, for matching"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    UniqueConstraint("job_posting_id", "tag_value", name="uk_job_posting_source_tags_posting_tag"),
    comment="Structured tags that a site gives a posting",
)

job_posting_collection_runs = new_table(
    "job_posting_collection_runs",
    Column("job_source_id", BIGINT, nullable=False, comment="job_sources.id"),
    Column("run_date", Date, nullable=False, comment="KST business day"),
    Column("run_status", String(20), nullable=False, comment="SUCCESS / FAILED; a row exists only once it is over"),
    count_column("fetched_count", "Postings in the list"),
    count_column("new_count", "Postings stored for the first time"),
    count_column("changed_count", "Postings found edited"),
    count_column("missed_count", "Postings not found"),
    count_column("closed_count", "Postings closed"),
    count_column("detail_failure_count", "Details that could not be read"),
    count_column("detail_skipped_count", "Details left out because of a limit"),
    Column("failure_reason", String(200), comment="Short cause; NULL on success"),
    Column("failure_cause_summary", String(1000), comment="Message of the error; NULL on success"),
    Column("started_at", DATETIME6, nullable=False, comment="Begun at, UTC"),
    Column("finished_at", DATETIME6, nullable=False, comment="Over at, UTC"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    UniqueConstraint("job_source_id", "run_date", name="uk_job_posting_collection_runs_source_date"),
    Index("idx_job_posting_collection_runs_run_date", "run_date"),
    comment="Finished collections per source and day; with v2 the projection of terminal cycles",
)

job_source_health = new_table(
    "job_source_health",
    Column("job_source_id", BIGINT, nullable=False, comment="job_sources.id"),
    count_column("consecutive_abnormal_days", "Days in a row that failed or brought nothing; 3 make it broken"),
    Column("broken_since", DATETIME6, comment="Broken since, UTC; NULL = well"),
    count_column("failure_episode", "How many times it broke; part of the notification's idempotency key"),
    Column("last_normal_at", DATETIME6, comment="Last well at, UTC; NULL = never yet"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("job_source_id", name="uk_job_source_health_source"),
    comment="Whether a source can be relied on",
)

job_keyword_groups = new_table(
    "job_keyword_groups",
    Column("display_name", String(100), nullable=False, comment="Name of the group, for a person"),
    Column("deleted_at", DATETIME6, comment="Removed at, UTC; NULL = in force"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    comment="Jobs the person looks for; any synonym in the title is a match",
)

job_keyword_synonyms = new_table(
    "job_keyword_synonyms",
    Column("job_keyword_group_id", BIGINT, nullable=False, comment="job_keyword_groups.id"),
    Column("synonym", String(100), nullable=False, comment="Word as the person wrote it"),
    Column("normalized_value", String(100), nullable=False, comment="Normal form of the word, for matching"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    UniqueConstraint("job_keyword_group_id", "normalized_value", name="uk_job_keyword_synonyms_group_value"),
    comment="Words of a keyword group",
)

job_exclusion_keywords = new_table(
    "job_exclusion_keywords",
    Column("keyword", String(100), nullable=False, comment="Word as the person wrote it"),
    Column("normalized_value", String(100), nullable=False, comment="Normal form of the word, for matching"),
    Column("deleted_at", DATETIME6, comment="Removed at, UTC; NULL = in force"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    comment="Words that rule a posting out when they are in its title",
)

work_arrangement_keywords = new_table(
    "work_arrangement_keywords",
    Column("keyword", String(100), nullable=False, comment="Word as the person wrote it, such as 재택"),
    Column("normalized_value", String(100), nullable=False, comment="Normal form of the word, for matching"),
    Column("deleted_at", DATETIME6, comment="Removed at, UTC; NULL = in force"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    comment="Words that tell of a work arrangement the person wants",
)

match_criteria_revisions = new_table(
    "match_criteria_revisions",
    Column("revision", Integer, nullable=False, comment="Number of the criteria, counted up by each change"),
    Column("change_target", String(40), nullable=False, comment="Which part of the criteria changed"),
    Column("change_reason", String(200), nullable=False, comment="What changed, for a person"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    UniqueConstraint("revision", name="uk_match_criteria_revisions_revision"),
    comment="History of the criteria; the largest revision is in force",
)

job_posting_match_results = new_table(
    "job_posting_match_results",
    Column("job_posting_id", BIGINT, nullable=False, comment="job_postings.id"),
    Column("criteria_revision", Integer, nullable=False, comment="match_criteria_revisions.revision it was judged by"),
    Column("matched", TINYINT1, nullable=False, comment="1 = a keyword is in the title"),
    Column("notifiable", TINYINT1, nullable=False, comment="1 = matched and not ruled out"),
    Column("top_confidence", String(20), nullable=False, comment="CONFIRMED / LIKELY / INFERRED / UNKNOWN"),
    Column("work_arrangement_sort_rank", Integer, nullable=False, comment="1 CONFIRMED, 2 LIKELY, 99 anything else"),
    Column("evaluated_at", DATETIME6, nullable=False, comment="Judged at, UTC"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("job_posting_id", name="uk_job_posting_match_results_posting"),
    comment="How a posting fares against the criteria; rewritten by each evaluation",
)

job_posting_matched_keyword_groups = new_table(
    "job_posting_matched_keyword_groups",
    Column("job_posting_match_result_id", BIGINT, nullable=False, comment="job_posting_match_results.id"),
    Column("job_keyword_group_id", BIGINT, nullable=False, comment="job_keyword_groups.id"),
    Column("matched_synonym", String(100), nullable=False, comment="Word that was in the title"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    UniqueConstraint(
        "job_posting_match_result_id",
        "job_keyword_group_id",
        name="uk_job_posting_matched_keyword_groups_result_group",
    ),
    comment="Which keyword groups matched; derived, so an evaluation may delete and rewrite it",
)

job_posting_work_arrangements = new_table(
    "job_posting_work_arrangements",
    Column("job_posting_id", BIGINT, nullable=False, comment="job_postings.id"),
    Column("work_arrangement_keyword_id", BIGINT, nullable=False, comment="work_arrangement_keywords.id"),
    Column("evidence_stage", String(30), nullable=False, comment="STRUCTURED_FIELD / DESCRIPTION_BODY"),
    Column("confidence", String(20), nullable=False, comment="CONFIRMED / LIKELY / INFERRED / UNKNOWN"),
    Column("snippet", String(500), nullable=False, comment="Words around the evidence, for a person"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    UniqueConstraint(
        "job_posting_id", "work_arrangement_keyword_id", name="uk_job_posting_work_arrangements_posting_keyword"
    ),
    comment="Evidence of a work arrangement; derived, so an evaluation may delete and rewrite it",
)

notification_dispatches = new_table(
    "notification_dispatches",
    Column("target_type", String(20), nullable=False, comment="JOB_POSTING / JOB_SOURCE / DAILY_DIGEST"),
    Column("target_id", BIGINT, nullable=False, comment="job_postings.id or job_sources.id; 0 for a digest"),
    Column("notification_type", String(30), nullable=False, comment="NEW_JOB_POSTING / SOURCE_FAILURE / DAILY_DIGEST"),
    Column("dispatch_sequence", Integer, nullable=False, comment="How many times this target is told of this (from 1)"),
    Column("idempotency_key", String(200), comment="target_type:target_id:notification_type:sequence, once delivered"),
    Column("dispatch_status", String(20), nullable=False, comment="PENDING / SENDING / DELIVERED / FAILED / EXPIRED"),
    Column("attempt_count", Integer, nullable=False, server_default=text("0"), comment="Requests made"),
    Column("last_error", String(500), comment="Why the last request failed; NULL = it did not"),
    Column("message_summary", String(500), comment="What was said, for a person"),
    Column("claim_token", CHAR(36), comment="UUID of the claim that is sending it: only its holder may finish the row"),
    Column("claimed_at", DATETIME6, comment="Claimed for sending at, UTC"),
    Column("discord_message_id", String(50), comment="Discord's id of the message, once delivered"),
    Column("attempted_at", DATETIME6, comment="Last request at, UTC; NULL = none yet"),
    Column("delivered_at", DATETIME6, comment="Delivered at, UTC; NULL = not delivered"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("idempotency_key", name="uk_notification_dispatches_idempotency_key"),
    comment="Messages to the person: due, being sent, delivered or given up",
)

job_applications = new_table(
    "job_applications",
    Column("job_posting_id", BIGINT, nullable=False, comment="job_postings.id"),
    Column("current_status", String(30), nullable=False, comment=STATUSES),
    Column("rejected_at_stage", String(30), comment="Status it was rejected in; NULL = not rejected"),
    Column("applied_at", DATETIME6, nullable=False, comment="Applied at, UTC"),
    Column("last_transited_at", DATETIME6, nullable=False, comment="Last change of status at, UTC"),
    Column("memo", String(2000), comment="The person's note"),
    Column(
        "version", Integer, nullable=False, server_default=text("0"), comment="Optimistic lock, raised by each edit"
    ),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("job_posting_id", name="uk_job_applications_posting"),
    comment="The person's applications",
)

job_application_status_histories = new_table(
    "job_application_status_histories",
    Column("job_application_id", BIGINT, nullable=False, comment="job_applications.id"),
    Column("previous_status", String(30), comment="Status before; NULL = the application was made"),
    Column("next_status", String(30), nullable=False, comment="Status after"),
    Column("transited_at", DATETIME6, nullable=False, comment="Changed at, UTC"),
    Column("memo", String(2000), comment="The person's note on the change"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Index("idx_job_application_status_histories_application", "job_application_id", "transited_at", "id"),
    comment="Every change of an application's status",
)

job_application_interviews = new_table(
    "job_application_interviews",
    Column("job_application_id", BIGINT, nullable=False, comment="job_applications.id"),
    Column("round_number", Integer, nullable=False, comment="Which interview of the application, from 1"),
    Column("label", String(100), nullable=False, comment="Name of the round, such as 1차 기술면접"),
    Column("scheduled_at", DATETIME6, comment="Takes place at, UTC; NULL = no date yet"),
    Column("interview_result", String(20), comment="PENDING / PASSED / FAILED; NULL = nothing said"),
    Column("memo", String(2000), comment="The person's note"),
    Column(
        "version", Integer, nullable=False, server_default=text("0"), comment="Optimistic lock, raised by each edit"
    ),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("job_application_id", "round_number", name="uk_job_application_interviews_application_round"),
    comment="Interviews of an application",
)

feature_flags = new_table(
    "feature_flags",
    Column("flag_key", String(100), nullable=False, comment="Name of the flag, such as posting.auto-close"),
    Column("enabled", TINYINT1, nullable=False, server_default=text("0"), comment="1 = on; every flag starts off"),
    Column("description", String(1000), nullable=False, comment="What switching it on does"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Last switched at, UTC"),
    UniqueConstraint("flag_key", name="uk_feature_flags_flag_key"),
    comment="Switches of risky functions, read anew at each use so that no restart is needed",
)

TABLES = (
    companies,
    job_sources,
    job_postings,
    job_posting_descriptions,
    job_posting_source_tags,
    job_posting_collection_runs,
    job_source_health,
    job_keyword_groups,
    job_keyword_synonyms,
    job_exclusion_keywords,
    work_arrangement_keywords,
    match_criteria_revisions,
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
    notification_dispatches,
    job_applications,
    job_application_status_histories,
    job_application_interviews,
    feature_flags,
)


def upgrade(change: SchemaChange) -> None:
    change.create_tables(*TABLES)


def downgrade(change: SchemaChange) -> None:
    change.refuse_when_filled(*TABLES)
    change.drop_tables(*TABLES)
