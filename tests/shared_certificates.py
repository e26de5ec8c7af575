"""Loads the certificates that this machine trusts once for all HTTP clients of a worker."""

import os
import ssl
from functools import cache

import httpcore2

_load = httpcore2.default_ssl_context


def share_certificates() -> None:
    """Let every client that is made from here on use one context: to load one takes 30 ms."""
    httpcore2.default_ssl_context = _shared


def _shared(*, _trust_env: bool = True) -> ssl.SSLContext:
    places = (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return _loaded(_trust_env, *places)


@cache
def _loaded(trust_env: bool, _file: str | None, _folder: str | None) -> ssl.SSLContext:
    return _load(_trust_env=trust_env)
