"""The command ``turkpoker``.

Commands are imported when they are called, so that ``turkpoker evaluate`` needs neither grpc nor Redis. Bad
input ends with exit code 2 and one line on stderr, Ctrl-C with 130; a traceback is a fault of the program.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

PROG = "turkpoker"
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and leave the process."""
    # grpc writes to stderr by itself; what matters of it comes as an error that is told in one line.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        import click  # noqa: PLC0415 - the base install has no click; say so instead of failing
    except ModuleNotFoundError:
        fail("the command line needs more: pip install 'turkpoker[cli]'")
    from turkpoker.server.cli.group import turkpoker  # noqa: PLC0415

    try:
        code = turkpoker.main(prog_name=PROG, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(EXIT_BAD_INPUT)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        fail(error.format_message())
    except BrokenPipeError:
        # Whoever read us (head, say) has seen enough.
        sys.stderr.close()
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)


def fail(message: str) -> NoReturn:
    """Say in one line what is wrong with the input, and leave with exit code 2."""
    print(f"{PROG}: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(EXIT_BAD_INPUT)
