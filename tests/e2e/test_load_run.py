"""The short load of `make load` plays hands and leaves nothing behind."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "load" / "run.py"


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_short_load(workers: str) -> None:
    done = subprocess.run(
        [sys.executable, str(RUN), "--seconds", "6", "--users", "7", "--seats", "3", "--workers", workers],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    table = done.stderr.split("Response time percentiles")[0]
    rows = {tuple(line.split()[:2]): line.split() for line in table.splitlines()}
    for row in [("table", "hand"), ("call", "BatchEvaluateHands"), ("Play", "draw")]:
        assert int(rows[row][2]) > 0, table
