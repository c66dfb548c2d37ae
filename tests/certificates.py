"""A certificate authority for tests."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """Signs certificates; ``root`` is its own as PEM."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self._certificate = self._sign(self._name, self._key, x509.BasicConstraints(True, None))
        self.root = self._certificate.public_bytes(Encoding.PEM)

    def issue(self, name: str) -> tuple[bytes, bytes]:
        """A certificate for 127.0.0.1 and localhost, and its key, as PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(_name(name), key, x509.BasicConstraints(False, None))
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return certificate.public_bytes(Encoding.PEM), secret

    def _sign(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, constraints: x509.BasicConstraints
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        hosts = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=5))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(constraints, critical=True)
            .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
            .sign(self._key, hashes.SHA256())
        )


def put(path: Path, content: bytes) -> Path:
    """Write a file for its owner alone, in place of another in one step."""
    draft = path.with_name(f"draft-{path.name}")
    draft.write_bytes(content)
    draft.chmod(0o600)
    draft.replace(path)
    return path
