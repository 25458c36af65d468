"""HTTP in: the status API, its guards, its problem documents and its OpenAPI description."""

from daemon.web.app import make_app

__all__ = ["make_app"]
