"""Builds the compiled part of the evaluator in a special way, aside, and runs its tests with it.

    python tests/evaluator/builds/run.py emulated    AVX-512 carried out by SIMDe with AVX2 (libsimde-dev)
    python tests/evaluator/builds/run.py sanitized   under AddressSanitizer and UndefinedBehaviorSanitizer

More arguments go to pytest. What this machine lacks is said, and the run counts as skipped (exit code 0).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
SOURCES = PROJECT / "evaluator" / "turkpoker" / "evaluator"
FLAGS = {
    "emulated": ["-O2", "-mavx2", "-Wno-psabi", "-include", str(HERE / "emulated_avx512.h")],
    "sanitized": [
        "-O1",
        "-g",
        "-fno-omit-frame-pointer",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined",
    ],
}


def main(variant: str, pytest_arguments: list[str]) -> int:
    """Build, test, and answer pytest's exit code."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC").split()[0])
    missing = what_is_missing(variant, compiler)
    if missing:
        print(f"skipped: {missing}")
        return 0
    with tempfile.TemporaryDirectory(prefix="turkpoker-") as folder:
        package = Path(folder) / "turkpoker" / "evaluator"
        shutil.copytree(SOURCES, package, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
        for source in sorted(package.glob("*.pyx")):
            build(source, variant, compiler)
        environment = os.environ | {"PYTHONPATH": folder}
        if variant == "sanitized":
            library = subprocess.check_output([*compiler, "-print-file-name=libasan.so"], text=True).strip()
            environment |= {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
        command = [sys.executable, "-m", "pytest", "-m", "not slow", "tests/evaluator", *pytest_arguments]
        return subprocess.run(command, cwd=PROJECT, env=environment, check=False).returncode


def what_is_missing(variant: str, compiler: list[str]) -> str | None:
    """Why this machine cannot do it, or None."""
    if shutil.which(compiler[0]) is None:
        return f"no C compiler {compiler[0]!r}"
    program = "int main(void) { return 0; }\n"
    if variant == "emulated":
        program = f'#include "{HERE / "emulated_avx512.h"}"\n' + program
    with tempfile.TemporaryDirectory() as folder:
        flags = FLAGS[variant] if variant == "sanitized" else ["-mavx2"]
        source = Path(folder) / "probe.c"
        source.write_text(program)
        probe = subprocess.run(
            [*compiler, *flags, str(source), "-o", str(source.with_suffix(""))],
            capture_output=True,
            check=False,
        )
    if probe.returncode == 0:
        return None
    return (
        "no SIMDe headers (Debian: libsimde-dev)"
        if variant == "emulated"
        else "no sanitizers with this compiler"
    )


def build(source: Path, variant: str, compiler: list[str]) -> None:
    """Compile one Cython module beside its source."""
    generated = source.with_suffix(".c")
    subprocess.run(
        [sys.executable, "-m", "cython", "-3", "-I", source.parents[2], source, "-o", generated], check=True
    )
    target = source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
    include = ["-I", sysconfig.get_path("include"), "-I", str(source.parent)]
    flags = ["-shared", "-fPIC", "-fwrapv", *FLAGS[variant], *include]
    subprocess.run([*compiler, *flags, str(generated), "-o", str(target)], check=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in FLAGS:
        print(__doc__, file=sys.stderr)
        raise SystemExit(2)
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
