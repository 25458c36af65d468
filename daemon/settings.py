"""Settings: the only reader of the environment and of the configuration file.

Every setting is `GONGGO_<NAME>` in the environment or `<name>` in the TOML file; the environment wins. A secret may
also come as a systemd credential: a file named `GONGGO_<NAME>` or `<name>` in `$CREDENTIALS_DIRECTORY`.

Where the service is installed, a shell command means the service's installation: without `--config` (or
`GONGGO_CONFIG`) it reads the service's file, its secrets and its state folder, so that both have one database.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from daemon.sources.model import Platform

_SECRETS = ("database_url", "api_token", "discord_webhook_url")
_HOST_NAME = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*", re.I
)
_HEADER_TEXT = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")

_Count = Annotated[int, Field(le=1_000_000)]
_Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
_PauseSeconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """Where the service keeps its things (`systemd/gonggo.service`)."""

    config: Path = Path("/etc/gonggo/gonggo.toml")
    state: Path = Path("/var/lib/gonggo")
    credentials: Path = Path("/etc/credstore")
    """One file `gonggo.<name>` for each secret, for root to read."""
    encrypted_credentials: Path = Path("/etc/credstore.encrypted")


INSTALLED = Installation()


class CredentialUnreadable(Exception):
    """A secret is there and can't be read; `reason` is None when it is encrypted for the service alone."""

    def __init__(self, name: str, path: Path, reason: OSError | UnicodeDecodeError | None) -> None:
        super().__init__(f"{path}: {reason or 'encrypted'}")
        self.name = name
        self.path = path
        self.reason = reason


def configuration_file(given: Path | None) -> Path | None:
    """The file in force: the one `given`, that of `$GONGGO_CONFIG`, the service's where it is installed, or none.

    None, too, when it is /dev/null: how the service's is left aside.
    """
    named = os.environ.get("GONGGO_CONFIG")
    if given is not None or named:
        chosen = given or Path(str(named))
        return None if chosen == Path(os.devnull) else chosen
    return INSTALLED.config if _is_there(INSTALLED.config) else None


def _is_there(path: Path) -> bool:
    """Whether `path` exists, also where one may not look: what is hidden is not to be passed over in silence."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


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
    """Secrets, each in a file of its own; one that the environment gives is not looked for."""

    def __init__(self, settings_cls: type[BaseSettings], files: Callable[[str], tuple[Path, ...]]) -> None:
        super().__init__(settings_cls)
        self._files = files

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        wanted = [name for name in _SECRETS if not os.environ.get(f"GONGGO_{name.upper()}")]
        found = {name: _secret(name, self._files(name)) for name in wanted}
        return {name: value for name, value in found.items() if value is not None}


def _secret(name: str, files: tuple[Path, ...]) -> str | None:
    """The first of `files` that is there. Raises CredentialUnreadable."""
    for path in files:
        if not _is_there(path):
            continue
        if path.parent == INSTALLED.encrypted_credentials:
            raise CredentialUnreadable(name, path, None)
        try:
            return path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise CredentialUnreadable(name, path, error) from error
    return None


def _given_by_systemd(name: str) -> tuple[Path, ...]:
    """Where systemd puts a secret for the service (`LoadCredential=`)."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    return (Path(folder) / f"GONGGO_{name.upper()}", Path(folder) / name) if folder else ()


def _kept_for_the_service(name: str) -> tuple[Path, ...]:
    """Where systemd takes a secret of the service from."""
    hidden = (INSTALLED.encrypted_credentials / f"gonggo.{name}",) if name == "database_url" else ()
    return (INSTALLED.credentials / f"gonggo.{name}", *hidden)


class Settings(BaseSettings):
    """Everything that can be set. Durations are seconds, sizes bytes."""

    model_config = SettingsConfigDict(env_prefix="GONGGO_", extra="ignore", env_ignore_empty=True)
    of_installed_service: ClassVar[bool] = False
    """Whether a person at a shell is to be given what systemd gives the service."""

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
    lease_seconds: _Seconds = 90
    slice_pages: _Count = Field(default=5, ge=1)
    slice_postings: _Count = Field(default=500, ge=1)
    slice_seconds: _Seconds = 300
    daily_pages: _Count = Field(default=50, ge=1)
    daily_postings: _Count = Field(default=5000, ge=1)
    daily_details: _Count = Field(default=300, ge=0)
    request_delay_seconds: _PauseSeconds | None = None
    """Delay between requests to one host. Below a site's own policy only where PLATFORM_ORIGINS replaces the site."""
    permit_margin_seconds: _PauseSeconds = 0.02
    """Spacing on top of the delay, so that a late event loop never brings two requests closer than the delay."""
    host_wait_seconds: _Seconds = 20
    """A host taken for longer, or for a third of the lease, gives the slice back instead of holding a worker."""
    request_timeout_seconds: _Seconds = 30
    connect_timeout_seconds: _Seconds = 5
    body_cap_bytes: int = Field(default=16 * 1024 * 1024, ge=1024, le=1024 * 1024 * 1024)
    platform_origins: dict[Platform, str] = Field(default_factory=dict)
    user_agent: str | None = None

    notification_timeout_seconds: _Seconds = 10
    """For one request to Discord, answer included."""

    sla_grace_seconds: _PauseSeconds = 5
    recovery_seconds: _Seconds = 30
    stop_seconds: _Seconds = 25

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
        given = _CredentialSource(settings_cls, _given_by_systemd)
        if not cls.of_installed_service:
            return init_settings, env_settings, given, toml
        kept = _CredentialSource(settings_cls, _kept_for_the_service)
        return init_settings, env_settings, given, kept, toml, _InstalledDatabase(settings_cls)

    @field_validator("platform_origins", mode="after")
    @classmethod
    def _origins_are_origins(cls, value: dict[Platform, str]) -> dict[Platform, str]:
        for platform, origin in value.items():
            if not _is_origin(origin):
                raise PydanticCustomError(
                    "origin",
                    "the address of {platform} is not scheme://host[:port]",
                    {"platform": str(platform)},
                )
        return {platform: origin.rstrip("/") for platform, origin in value.items()}

    @field_validator("http_host", mode="after")
    @classmethod
    def _host_is_an_address_or_a_name(cls, value: str) -> str:
        if _address(value) is None and _HOST_NAME.fullmatch(value) is None:
            raise PydanticCustomError("host", "neither an IP address nor a host name")
        return value

    @field_validator("contact_url", "user_agent", mode="after")
    @classmethod
    def _fits_a_header(cls, value: str | None) -> str | None:
        if value is not None and _HEADER_TEXT.fullmatch(value) is None:
            raise PydanticCustomError("header_text", "must be one line of printable ASCII characters")
        return value

    @field_validator("api_token", mode="after")
    @classmethod
    def _token_is_one_word(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and re.fullmatch(r"[\x21-\x7e]+", value.get_secret_value()) is None:
            raise PydanticCustomError("token", "must be one word of printable ASCII characters")
        return value

    @model_validator(mode="after")
    def _public_bind_needs_token(self) -> Settings:
        if not _is_loopback(self.http_host) and self.api_token is None:
            raise PydanticCustomError(
                "public_bind", "HTTP_HOST {host} is not loopback: set GONGGO_API_TOKEN first", {"host": self.http_host}
            )
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


class _InstalledDatabase(PydanticBaseSettingsSource):
    """The database of a service that names none: SQLite in its state folder."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        return {"database_url": f"sqlite:///{INSTALLED.state}/gonggo.db"}


def _address(host: str) -> Any:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return host.lower() == "localhost" if address is None else bool(address.is_loopback)


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return usable and parts.username is None and not (parts.path.strip("/") or parts.query or parts.fragment)


def load_settings(config: Path | None = None, **overrides: Any) -> Settings:
    """The settings in force, with those of the file `config`.

    Raises pydantic.ValidationError naming each bad setting, CredentialUnreadable, FileNotFoundError when `config` does
    not exist, and what reading it as TOML raises.
    """
    if config is not None:
        config.open("rb").close()  # a file that can't be read is not one without settings

    class Configured(Settings):
        model_config = SettingsConfigDict(toml_file=config)
        # The service itself is given its state folder by systemd, and its secrets.
        of_installed_service: ClassVar[bool] = config == INSTALLED.config and "STATE_DIRECTORY" not in os.environ

    return Configured(**overrides)


_HELD = frozenset({"api_token", "clock", "database_url", "http_host", "http_port", "platform_origins"})
"""What a daemon holds on to while it runs: its database, its address and who may ask there, where the sites are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Adopted:
    """What came of settings that were read again: names alone, for a value may be a secret."""

    changed: tuple[str, ...]
    """In force from now on."""
    need_restart: tuple[str, ...]
    """Different from what is in force, and left aside until the next start."""


def adopt(settings: Settings, fresh: Settings) -> Adopted:
    """Bring `settings`, which all parts of a daemon share, to what `fresh` says, as far as a running daemon can."""
    differ = [name for name in sorted(Settings.model_fields) if getattr(settings, name) != getattr(fresh, name)]
    changed = tuple(name for name in differ if name not in _HELD)
    for name in changed:
        setattr(settings, name, getattr(fresh, name))
    return Adopted(changed=changed, need_restart=tuple(name for name in differ if name in _HELD))


def unknown_settings(config: Path | None = None) -> Mapping[str, str | None]:
    """Names in the environment or the file that are no settings, so most likely misspelt, and the nearest that is one.

    `GONGGO_TEST_…` belongs to the tests. Raises what reading `config` raises.
    """
    names = sorted(Settings.model_fields)
    variables = {f"GONGGO_{name.upper()}" for name in names}
    set_here = {name for name in os.environ if name.startswith("GONGGO_") and not name.startswith("GONGGO_TEST_")}
    written = tomllib.loads(config.read_text("utf-8")).keys() if config is not None else set()
    unknown = {name: _nearest(name, variables) for name in sorted(set_here - variables - {"GONGGO_CONFIG"})}
    return unknown | {name: _nearest(name, names) for name in sorted(written - set(names))}


def _nearest(name: str, known: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)), None)
