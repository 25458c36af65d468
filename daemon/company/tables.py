"""Tables of companies, their aliases and the sources that are followed (seed 001, ERD)."""

from sqlalchemy import Column, Index, String, Table, UniqueConstraint

from daemon.db import MYSQL_TABLE, BigId, UtcDateTime, id_column, metadata

companies = Table(
    "companies",
    metadata,
    id_column(),
    Column("name", String(200), nullable=False, comment="Name as first shown"),
    Column("name_key", String(255), nullable=False, comment="Normal form of the name, by which companies are found"),
    Column("registration_type", String(20), nullable=False, comment="AUTO / MANUAL_ONLY (no source of its own)"),
    Column("company_origin", String(20), nullable=False, comment="WATCHED by the person / DISCOVERED on a board"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    UniqueConstraint("name", name="uk_companies_name"),
    # Makes automatic registration idempotent: one company per normal form, whoever inserts first.
    UniqueConstraint("name_key", name="uk_companies_name_key"),
    # The few that are watched among all that were discovered, by name.
    Index("idx_companies_origin", "company_origin", "name"),
    comment="Companies whose postings are kept",
    **MYSQL_TABLE,
)

company_aliases = Table(
    "company_aliases",
    metadata,
    id_column(),
    Column("company_id", BigId, nullable=False, comment="companies.id"),
    Column("alias", String(200), nullable=False, comment="Other name of the company, as the person wrote it"),
    Column("alias_key", String(255), nullable=False, comment="Normal form of the alias"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # A name may stand for one company only; look-ups by normal form.
    UniqueConstraint("alias_key", name="uk_company_aliases_alias_key"),
    # The aliases of one company, for its page.
    Index("idx_company_aliases_company", "company_id"),
    comment="Other names by which a company appears on the boards",
    **MYSQL_TABLE,
)

job_sources = Table(
    "job_sources",
    metadata,
    id_column(),
    Column("company_id", BigId, comment="companies.id; NULL for an aggregator"),
    Column("platform", String(20), nullable=False, comment="Site: GREENHOUSE, WOOWAHAN, INCRUIT, SARAMIN, JUMPIT, …"),
    Column("source_type", String(20), nullable=False, comment="COMPANY_BOUND / AGGREGATOR"),
    Column("source_slug", String(200), comment="The company's name on the platform; NULL for an aggregator"),
    Column("base_url", String(500), comment="Address of the board; NULL = the platform's own"),
    Column("search_category_code", String(100), comment="The platform's job category; NULL when company-bound"),
    Column("search_keyword", String(200), comment="Search word, '' for none; NULL when company-bound"),
    Column(
        "seeded_at", UtcDateTime, comment="End of the first full cycle, UTC; NULL = still seeding, nothing notified"
    ),
    Column("disabled_at", UtcDateTime, comment="Switched off at, UTC; NULL = active"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # Each kind of source is unique on its own terms: the columns of the other kind are NULL, and NULLs never clash.
    UniqueConstraint("platform", "source_slug", name="uk_job_sources_platform_slug"),
    UniqueConstraint("platform", "search_category_code", "search_keyword", name="uk_job_sources_platform_search"),
    # The sources of one company.
    Index("idx_job_sources_company", "company_id"),
    comment="Where postings come from: one board of one company, or one search on an aggregator",
    **MYSQL_TABLE,
)
