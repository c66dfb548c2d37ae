"""TLS of the server: certificates from files, looked at again at every handshake, so that they can change.

A certificate that cannot be used (half-written, another key's) leaves the one before it in place.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from turkpoker.server.key_keeper import WatchedFile
from turkpoker.server.settings import ServerSettings, SettingsError

logger = logging.getLogger(__name__)


class Certificates:
    """The certificate of a server, its key, and whom it trusts to sign the certificates of clients.

    Args:
        certificate: PEM file: the certificate of the server, then those between it and its root.
        key: PEM file of its private key, for its owner alone.
        client_ca: PEM file of the roots of clients' certificates; None: clients need none.

    Raises:
        SettingsError: a file cannot be used.
    """

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        self._certificate = certificate
        self._key = key
        self._client_ca = client_ca
        self._files = [WatchedFile(path) for path in (certificate, key, client_ca) if path is not None]
        self._failing = False
        # grpc asks from threads of its own.
        self._lock = threading.Lock()
        for file in self._files:
            file.changed()
        self._first = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """What a server takes to listen with."""
        return grpc.dynamic_ssl_server_credentials(
            self._first,
            self._look_again,  # type: ignore[arg-type]  # the stubs forget that it may give None
            require_client_authentication=self._client_ca is not None,
        )

    def _look_again(self) -> grpc.ServerCertificateConfiguration | None:
        """Other certificates than before, or None; on failure the last ones stay."""
        with self._lock:
            # All of them are asked, so that each remembers what it has seen.
            changed = [file.changed() for file in self._files]
            if not any(changed) and not self._failing:
                return None
            try:
                found = self._read()
            except SettingsError as error:
                if not self._failing:
                    logger.error("%s; the certificate before it stays", error)
                self._failing = True
                return None
            self._failing = False
            logger.info("a new certificate: %s", self._certificate)
            return found

    def _read(self) -> grpc.ServerCertificateConfiguration:
        chain = _content(self._certificate, "certificate")
        key = _content(self._key, "private key", private=True)
        try:
            certificates = x509.load_pem_x509_certificates(chain)
        except ValueError:
            raise SettingsError(f"{self._certificate} holds no PEM certificate") from None
        try:
            private = load_pem_private_key(key, None)
        except (ValueError, TypeError):  # TypeError: it is encrypted
            raise SettingsError(f"{self._key} holds no PEM private key without a password") from None
        spki = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        if certificates[0].public_key().public_bytes(*spki) != private.public_key().public_bytes(*spki):
            raise SettingsError(f"{self._key} is not the key of {self._certificate}")
        roots = None
        if self._client_ca is not None:
            roots = _content(self._client_ca, "roots of clients")
            try:
                x509.load_pem_x509_certificates(roots)
            except ValueError:
                raise SettingsError(f"{self._client_ca} holds no PEM certificate") from None
        return grpc.ssl_server_certificate_configuration([(key, chain)], root_certificates=roots)


def server_credentials(settings: ServerSettings) -> grpc.ServerCredentials | None:
    """The credentials that the settings ask for; None: plain text.

    Raises:
        SettingsError: a file cannot be used.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return Certificates(settings.tls_cert, settings.tls_key, settings.tls_client_ca).credentials()


def _content(path: Path, what: str, *, private: bool = False) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read()
    except OSError as error:
        raise SettingsError(f"cannot read the {what} {path}: {error.strerror}") from None
    if private and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(f"others may read the {what} {path}: chmod 600 it")
    return content
