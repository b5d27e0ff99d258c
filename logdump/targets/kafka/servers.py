"""The servers of a cluster and how to reach them; no message shows a password of them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import parse_qsl

from logdump.tables.errors import BadOption
from logdump.targets.dialects.target_url import TargetUrl
from logdump.targets.target import BadTarget
from trailformat.codec.mapped_file import open_regular
from trailformat.codec.remote.path import path_of
from trailformat.codec.remote.url import keeping_secrets

SCHEME = "kafka"
_FIXED = re.compile(
    r"enable\.(?:idempotence|gapless\.guarantee|auto\.commit|partition\.eof)|(?:request\.required\.)?acks|"
    r"max\.in\.flight.*|retries|message\.send\.max\.retries|isolation\.level|bootstrap\.servers|metadata\.broker\.list|"
    r"group\.id|.*_cb|on_delivery|logger|test\..*|plugin\..*",
    re.IGNORECASE,
)
"""Settings of the client on which the promises rest, or that would run other code."""
_SECRET = re.compile(r"(?i)pass|pwd|secret|token|credential|auth|key|config")
_SHORTEST_SECRET = 3
"""Characters of a value that is left out of messages: a shorter one is part of every text."""
_LARGEST = 1 << 20
"""Characters of a file of settings that are read."""
_WITH_USER = {"security.protocol": "SASL_SSL", "sasl.mechanisms": "PLAIN"}


def settings_in(path: str) -> dict[str, str]:
    """Return the settings in a file: lines ``name=value``; empty ones and those that begin with # do not count.

    Raises:
        BadOption: the file cannot be read, or a line is none. No line is shown: it may have a password.
    """
    try:
        with os.fdopen(open_regular(path_of(Path(path))), encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a file of lines name=value"
        raise BadOption(f"config: {path}: {reason}") from None
    settings = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not sign or not name.strip():
            raise BadOption(f"config: {path}, line {number}: a line is as name=value")
        settings[name.strip()] = value.strip()
    return settings


class KafkaServers(NamedTuple):
    """The servers of a cluster.

    Attributes:
        shown: the servers as they may be shown.
        settings: settings of librdkafka by name, with the servers and the password.
    """

    shown: str
    settings: Mapping[str, str]

    @classmethod
    def of(cls, text: str, config: Mapping[str, object] | None = None) -> Self:
        """Return the servers of a URL, ``kafka://user@host:9092,host:9092?setting=value``, or of a list of hosts.

        Args:
            text: the URL or list. A user has a password in the URL, in ``LOGDUMP_PASSWORD`` or in ``config``.
            config: settings of librdkafka, which come before those of the URL.

        Raises:
            BadTarget: the URL is not as it must be; no part of it that may be a password is named.
            BadOption: a setting is not free.
        """
        whole = text if "://" in text else f"{SCHEME}://{text}"
        wrong = BadTarget(
            "the servers are not as in kafka://user@host:9092,host2:9092?setting=value; in a name or a password "
            "/ ? # @ % are written as %2F %3F %23 %40 %25"
        )
        if not whole.lower().startswith(f"{SCHEME}://"):
            raise BadTarget("the servers are those of Kafka: kafka://host:9092; apply writes to databases and lakes")
        try:
            url = TargetUrl.of(keeping_secrets(whole), SCHEME)
        except BadTarget:
            raise wrong from None
        if not url.server or url.name or url.server.startswith(",") or url.server.endswith(","):
            raise wrong
        given = {name: str(value) for name, value in {**dict(parse_qsl(url.query)), **(config or {})}.items()}
        if fixed := [name for name in given if _FIXED.fullmatch(name)]:
            raise BadOption(f"config: {fixed[0]} is not free: what is promised rests on it")
        settings = {"bootstrap.servers": url.server}
        if url.user:
            settings |= {**_WITH_USER, "sasl.username": url.user, "sasl.password": url.password}
        return cls(url.server, {**settings, **given})

    def harmless(self, text: str) -> str:
        """Return a message of the client in one line, without the values of settings that are secret."""
        for name, value in self.settings.items():
            if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET:
                text = text.replace(value, "…")
        return " ".join(text.split())
