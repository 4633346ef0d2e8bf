"""Noticing live secrets: careful, linear, and never repeating what was found."""

from __future__ import annotations

import pytest

from dsh_lsp.core.checks.credentials import find_credential
from tests.support.linear import is_linear


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("export AWS_ACCESS_KEY_ID=AKIAABCDEFGHIJKLMNOP", "an AWS access key id"),
        ("密钥ASIAABCDEFGHIJKLMNOP。", "an AWS access key id"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII", "a private key"),
        ("-----BEGIN PRIVATE KEY-----", "a private key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----", "a private key"),
        ("token ghp_" + "a1B2" * 9, "a GitHub token"),
        ("github_pat_" + "a1B2_" * 16, "a GitHub token"),
        ("glpat-" + "a1B2-" * 4, "a GitLab token"),
        ("xoxb-123456789012-abcdefghij", "a Slack token"),
        ("AIza" + "a1B2_" * 7, "a Google API key"),
        ("用sk-" + "0123456789abcdef" * 2, "an API key"),
        ("sk-proj-aB3_" + "x" * 40, "an API key"),
        ("sk-ant-api03-aB3-" + "x" * 40, "an API key"),
        ("password: hunter2hunter", "a password or secret"),
        ('"api_key": "Zx81kdja92"', "a password or secret"),
        ("DB_PASSWORD='correct-horse-9'", "a password or secret"),
        ("secret = `a1b2c3d4e5`", "a password or secret"),
    ],
)
def test_a_secret_is_noticed(text, kind):
    assert find_credential(["nothing", text]) == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sk-learn-model-selection-v2 task-0123456789abcdef0123456789abcdef",
        "-----BEGIN PUBLIC KEY----- -----BEGIN CERTIFICATE-----",
        "AKIAshort xAKIAABCDEFGHIJKLMNOP AKIAABCDEFGHIJKLMNOPQ",
        "password: str, secret: bytes | None",
        "password = get_password1()",
        "password = config['password1']",
        "password=$DB_PASSWORD_1 password=${DB_PASSWORD_1}",
        "password: <your-password-1> api_key=YOUR_API_KEY_1 secret=xxxx1234",
        "the password: see section 4 of the manual",
        "password: ******** secret: 12345678 token=abcdefgh",
        "passwordHash = sha256sum1234",
        "ghp_short xoxb-short glpat-short",
    ],
)
def test_ordinary_text_stays_quiet(text):
    assert find_credential([text]) is None


@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "password=aaaaaaaa",
        "secret: \t \t",
        "sk-",
        "sk-aA",
        "AKIA",
        "-----BEGIN A B ",
        "ghp_a1",
        "github_pat_-",
        "a",
    ],
)
def test_time_grows_with_the_text_and_no_faster(piece):
    def find(count: int) -> None:
        assert find_credential([piece * (count // len(piece))]) is None

    assert is_linear(find, 20_000, 80_000)
