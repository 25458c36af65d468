"""Gonggo: one asyncio daemon that collects one job seeker's postings. The map:

    __main__, cli   commands: parse arguments, call the same actions as the API, print
    demo            replica sites, their scripted days, and the driver that runs the real daemon through them
    app, collect    composition roots: the daemon for ever, and today's collection once; jobs is the timetable's work
    web             HTTP in: page, API, health, metrics
    operations      read-only views: runs, snapshot, today, metrics
    schema          the revision of a database; ddl is what revisions are made of; tables names all tables
    notification, application, matching    what follows from postings
    collection      the engine: cycles, claims, slices, budgets, permits, delta, projection, health, snapshot
    posting         postings, descriptions, tags
    company         companies, aliases, sources
    flags, schedule feature flags; the daily jobs and their ledger; instance guards an embedded database
    sources         how a site is asked and read; knows no database
    db              transactions, and every difference between the engines
    log, sdnotify, terminal    words for the journal, for systemd, for a person
    settings        the only reader of the configuration
    clock, messages time; texts for people

Imports point down this list, never up: `[tool.importlinter]` in pyproject.toml enforces it. In a context the files are
model (data, errors) < rules (pure decisions) < tables < store (SQL, takes a transaction) < actions (opens one) < loop.
"""
