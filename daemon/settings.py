"""Settings: the only reader of the environment and of the `--config` file.

Every setting is `GONGGO_<NAME>` in the environment or `<name>` in the TOML file; the environment wins. A secret may
also come as a systemd credential: a file named `GONGGO_<NAME>` or `<name>` in `$CREDENTIALS_DIRECTORY`.
"""

from __future__ import annotations

import os
import sys
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from daemon.sources.model import Platform

_SECRETS = ("database_url", "api_token", "discord_webhook_url")
_LOOPBACK = ("127.", "::1", "localhost")


def default_state_directory() -> Path:
    """systemd's `$STATE_DIRECTORY`, else `gonggo` in the XDG state folder."""
    systemd = os.environ.get("STATE_DIRECTORY")
    if systemd:
        return Path(systemd.split(":")[0])
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "gonggo"


def spoken_language() -> Literal["ko", "en"]:
    """The language of help and of errors about the settings themselves: from the environment alone; never fails."""
    return "en" if os.environ.get("GONGGO_LANGUAGE", "").strip().lower() == "en" else "ko"


class _CredentialSource(PydanticBaseSettingsSource):
    """Secrets from `$CREDENTIALS_DIRECTORY` (systemd `LoadCredential=`)."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        folder = os.environ.get("CREDENTIALS_DIRECTORY")
        found: dict[str, Any] = {}
        for name in _SECRETS if folder else ():
            for candidate in (Path(str(folder)) / f"GONGGO_{name.upper()}", Path(str(folder)) / name):
                if candidate.is_file():
                    found[name] = candidate.read_text("utf-8").strip()
                    break
        return found


class Settings(BaseSettings):
    """Everything that can be set. Durations are seconds, sizes bytes."""

    model_config = SettingsConfigDict(env_prefix="GONGGO_", extra="ignore", env_ignore_empty=True)

    database_url: SecretStr = Field(
        default_factory=lambda: SecretStr(f"sqlite:///{default_state_directory()}/gonggo.db")
    )
    http_host: str = "127.0.0.1"
    http_port: int = Field(default=8787, ge=0, le=65535)
    api_token: SecretStr | None = None
    discord_webhook_url: SecretStr | None = None
    language: Literal["ko", "en"] = "ko"
    log_format: Literal["json", "console"] | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    clock: str | None = None
    contact_url: str = "https://github.com/biuea/recruitment-application"

    workers: int = Field(default=10, ge=1, le=100)
    """Slices in hand at once in this process (seed 000: a tick claims at most 10)."""
    slices_per_host: int = Field(default=1, ge=1, le=10)
    """Slices of one host in hand at once in this process: more would only wait for the same permits."""
    lease_seconds: float = Field(default=90, gt=0)
    slice_pages: int = Field(default=5, ge=1)
    slice_postings: int = Field(default=500, ge=1)
    slice_seconds: float = Field(default=300, gt=0)
    daily_pages: int = Field(default=50, ge=1)
    daily_postings: int = Field(default=5000, ge=1)
    daily_details: int = Field(default=300, ge=0)
    request_delay_seconds: float | None = Field(default=None, ge=0)
    """Delay between requests to one host. Below a site's own policy only where PLATFORM_ORIGINS replaces the site."""
    permit_margin_seconds: float = Field(default=0.02, ge=0)
    """Spacing on top of the delay, so that a late event loop never brings two requests closer than the delay."""
    request_timeout_seconds: float = Field(default=30, gt=0)
    connect_timeout_seconds: float = Field(default=5, gt=0)
    body_cap_bytes: int = Field(default=16 * 1024 * 1024, ge=1024)
    platform_origins: dict[Platform, str] = Field(default_factory=dict)
    user_agent: str | None = None

    notification_timeout_seconds: float = Field(default=10, gt=0)
    """For one request to Discord, answer included."""

    sla_grace_seconds: float = Field(default=5, ge=0)
    recovery_seconds: float = Field(default=30, gt=0)
    stop_seconds: float = Field(default=25, gt=0)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        toml = TomlConfigSettingsSource(settings_cls, cls.model_config.get("toml_file"))
        return init_settings, env_settings, _CredentialSource(settings_cls), toml

    @field_validator("platform_origins", mode="after")
    @classmethod
    def _origins_are_origins(cls, value: dict[Platform, str]) -> dict[Platform, str]:
        for platform, origin in value.items():
            scheme, _, rest = origin.partition("://")
            if scheme not in {"http", "https"} or not rest or "/" in rest.rstrip("/"):
                raise ValueError(f"{platform}: {origin!r} is not scheme://host[:port]")
        return {platform: origin.rstrip("/") for platform, origin in value.items()}

    @model_validator(mode="after")
    def _public_bind_needs_token(self) -> Settings:
        if not self.http_host.startswith(_LOOPBACK) and self.api_token is None:
            raise ValueError(f"HTTP_HOST {self.http_host} is not loopback: set GONGGO_API_TOKEN first")
        return self

    @property
    def effective_log_format(self) -> Literal["json", "console"]:
        """`json` unless a person looks at it."""
        return self.log_format or ("console" if sys.stderr.isatty() else "json")

    @property
    def effective_user_agent(self) -> str:
        """Identifies the program and where to complain (seed 001, FR-69-5)."""
        return self.user_agent or f"gonggo/1.0 (+{self.contact_url})"

    @property
    def lease(self) -> timedelta:
        """How long a claim lasts without a renewal."""
        return timedelta(seconds=self.lease_seconds)


def load_settings(config: Path | None = None, **overrides: Any) -> Settings:
    """The settings in force.

    Raises pydantic.ValidationError naming each bad setting, FileNotFoundError when `config` does not exist.
    """
    if config is not None and not config.is_file():
        raise FileNotFoundError(f"no such configuration file: {config}")

    class Configured(Settings):
        model_config = SettingsConfigDict(toml_file=config)

    return Configured(**overrides)


def unknown_settings(config: Path | None = None) -> tuple[str, ...]:
    """Names in the environment or the file that are no settings, so most likely misspelt.

    `GONGGO_TEST_…` belongs to the tests. Raises what reading `config` raises.
    """
    given = tomllib.loads(config.read_text("utf-8")) if config is not None else {}
    variables = {name for name in os.environ if name.startswith("GONGGO_") and not name.startswith("GONGGO_TEST_")}
    known = {f"GONGGO_{name.upper()}" for name in Settings.model_fields}
    return (*sorted(variables - known), *sorted(given.keys() - Settings.model_fields.keys()))
