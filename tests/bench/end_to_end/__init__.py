"""From a site's pages to rows on a server: the daemon, a tuned Scrapy, and the least that a program could do.

**The site** is a process of its own that answers with Saramin's pages, rendered and compressed beforehand: Korean, 100
postings and about 300 KB a page, no delay. Ten categories; 5 pages each are 5,000 postings, 50 pages are 50,000 (what
seed 000 allows a source in a day).

**Ours** is `gonggo collect` with everything on: permits, claims, leases, budgets, the seen set, change signatures,
companies by name, final deltas. A category's pages come one after the other, as its cursor demands; all ten categories
are in hand at once (`SLICES_PER_HOST`), with one host's permits between them.

**Scrapy** (`spider.py`): ten requests at once, no delay, robots.txt obeyed, no cookies, no log; its pipeline writes
100 postings and their tags by SQLAlchemy's executemany in one commit. **The floor** (`floor.py`): aiohttp, selectolax,
aiomysql; ten pages at once, one commit a page. Both know all addresses beforehand and keep their connections; we do
neither. Both write two tables with a unique key each, and nothing else; ours has some ten indexes to keep.

All write to one private server with `innodb_flush_log_at_trx_commit=1`, its data on a disk, one after the other (A-B-C,
A-B-C, ...), each into an empty database. What they stored must be the same: as many postings, and equal ids, titles,
addresses, companies, deadlines and tags. Only then a time counts: from the arrival of the first page's request to the
return of the last commit. Starting an interpreter and opening a database are left out of it and shown beside; ours is
interrupted then, for matching, which would follow, is none of what the others do. Memory is the client's peak (VmHWM);
processor seconds, the start's included, are told with each, and the server's.
"""
