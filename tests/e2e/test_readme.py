"""The README's code runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

from serving import Served
from turkpoker.server.auth import make_token
from wire_players import KEY

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.S)


def run(script: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_client_example_plays_three_hands(tmp_path: Path) -> None:
    script = tmp_path / "two_players.py"
    script.write_text(next(block for block in BLOCKS if "turkpoker.client" in block))
    served = Served(tmp_path / "data")
    try:
        said = run(script, make_token(KEY, "ada"), make_token(KEY, "can"), served.address)
    finally:
        served.stop()
        served.end()
    assert "round1" in said
    assert {line.split()[1] for line in said.splitlines()} == {"0", "1"}, "both seats were asked"


def test_the_engine_example_prints_what_it_says(tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    script.write_text(next(block for block in BLOCKS if "turkpoker.engine" in block))
    printed = run(script).splitlines()
    promised = re.findall(r"print\(.*\)  # (.*)", script.read_text())
    assert printed == promised
