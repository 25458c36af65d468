"""Weeks of the daemon's life in which everything that can go wrong does, by a seeded schedule: `make chaos`.

schedule        what is done to whom on which day: a function of the seed
zygote, crew    starts daemons as fast as they are killed; the daemons, each behind a proxy of its own
strikes         does what the schedule says, at the moments that it says
moments         the clock file; watch: the database from outside, by plain SQL
play, days      sets the stage; drives the clock through the days
evidence        all that is known after a day; `checks` judge it and know nothing of the product's rules
recovery        how long a host stands still after the kill of its holder
outcome, report what came of it, and how that is told
"""
