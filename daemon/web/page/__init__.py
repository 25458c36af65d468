"""The page: what the person reads and does in a browser, over the same actions and views as the API.

A request becomes a `Visit`. A GET handler shows; a POST handler acts, and redirects to where the result is seen, or the
page it came from is shown again with what was refused. Everything works without script; `static/page.js` adds comfort.
"""

from daemon.web.page.routes import FORM_PATHS, OPEN_PATHS, add_pages, answer_people

__all__ = ["FORM_PATHS", "OPEN_PATHS", "add_pages", "answer_people"]
