# What a person and CI do here. ARGS= goes to the command behind the target: make test ARGS="-k claim".
.DEFAULT_GOAL := help
.PHONY: help install demo run test check chaos bench fuzz mutation database postgres browser
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for python in python3.14 python3.13 python3.12 python3.11 python3; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; done)
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input
ARGS ?=

help:
	@echo "make demo    nine replica sites, three days in a minute or two: no internet, no database"
	@echo "make run     the daemon (gonggo run), here and now"
	@echo "make test    every test, on SQLite and on a MySQL-family server"
	@echo "make check   format, lint, types, import directions, fast tests"
	@echo "make chaos   weeks of kills and faults on a private server, and what they violated"
	@echo "make bench   measurements"
	@echo "make fuzz    parsers and normalisers on broken answers; ARGS=\"--inputs 200000\" for the long run"
	@echo "make mutation    changes the rules one by one and looks whether a test notices; ARGS=matching for one context"

install: $(VENV)/.installed

# Debian keeps the venv module in a package of its own; root may have it installed here.
$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "gonggo needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& { apt-get -qq update && apt-get -qq install -y --no-install-recommends python3-venv >/dev/null; } \
		|| { echo "$(PYTHON) can't make environments: install python3-venv, then try again" >&2; exit 1; }; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	@echo "installing into $(VENV): this takes a minute or three"
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[test]'
	@touch $@

demo: install
	@$(BIN)/gonggo demo $(ARGS)

run: install
	@$(BIN)/gonggo run $(ARGS)

check: install
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted: run $(BIN)/ruff format ." >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >$(VENV)/imports.txt || { cat $(VENV)/imports.txt; exit 1; }
	@$(BIN)/pytest -q $(wildcard tests/architecture tests/rules tests/sites tests/sources) $(ARGS)

# Tests start a private server of their own; this only sees to it that there is a program to start.
database:
	@test -n "$$GONGGO_TEST_MYSQL_URL" \
	|| { PATH="$$PATH:/usr/sbin:/usr/local/sbin"; command -v mariadbd || command -v mysqld; } >/dev/null \
	|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "installing mariadb-server" \
		&& apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y mariadb-server >/dev/null; } \
	|| { echo "no MySQL or MariaDB server on this machine: install mariadb-server," \
		"or set GONGGO_TEST_MYSQL_URL=mysql://user:password@host (its user may create databases)" >&2; exit 1; }

# The page's tests in a real browser need one; without it they are skipped, and say so.
browser:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null \
	|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "installing chromium" \
		&& apt-get -qq update \
		&& DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-nanum >/dev/null; } \
	|| echo "no chromium on this machine: the page is tested over HTTP only" >&2

# Two workers: what tests start takes a core as well, and much is about time.
test: install database browser
	@$(BIN)/pytest -n 2 $(ARGS)

# What others use, to be measured beside ours.
$(VENV)/.bench: $(VENV)/.installed
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[test,bench]'
	@touch $@

# A peer of the engine's queue needs a PostgreSQL; without it the bench leaves that peer out, and says so.
postgres:
	@{ ls /usr/lib/postgresql/*/bin/initdb || command -v initdb; } >/dev/null 2>&1 \
	|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "installing postgresql" \
		&& apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql >/dev/null; } \
	|| echo "no PostgreSQL on this machine: the queue is not measured beside procrastinate" >&2

bench: $(VENV)/.bench database postgres
	@$(BIN)/python -m tests.bench $(ARGS)

chaos: install database
	@$(BIN)/python -m tests.acceptance.chaos $(ARGS)

fuzz: install
	@$(BIN)/python -m tests.fuzz $(ARGS)

mutation: install
	@test -x $(BIN)/mutmut || $(PIP) install -c constraints.txt -e '.[mutation]'
	@$(BIN)/python -m tests.mutation $(ARGS)
