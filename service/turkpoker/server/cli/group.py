"""The commands and what each needs; their modules are loaded when they are called."""

from __future__ import annotations

from importlib import import_module

import click

#: command -> (module of this package, extra that brings what it imports, what it does)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "serve": ("serve", "server", "Serve tables, evaluator and hand history over gRPC."),
    "demo": ("demo", "server", "Let bots play real hands over gRPC."),
    "rehearse": ("rehearse", "server", "Serve one table with scripted decks, on this machine only."),
    "audit": ("audit", "server", "Go over a whole store and say whether its chips add up."),
    "operator": ("operator", "server", "List and end tables, let nothing begin, read who did what."),
    "export": ("export", "server", "Write finished hands of a running server to a file."),
    "token": ("token", "server", "Make a token for a player."),
    "key": ("key", "server", "Make a new secret key of tokens beside the old one."),
    "evaluate": ("evaluate", "cli", "Tell what hands are worth."),
    "odds": ("odds", "cli", "Tell what each discard is worth."),
    "frequencies": ("frequencies", "cli", "Count the hands of each category in a deck."),
    "rules": ("rules", "cli", "Explain what is played, with every option, in six languages."),
    "replay": ("replay", "cli", "Play recorded hands again and compare."),
    "bench": ("bench", "cli", "Measure the evaluator on this machine."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports a command's module only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; a module that is not there names the extra to install."""
        if cmd_name not in COMMANDS:
            return None
        module_name, extra, _ = COMMANDS[cmd_name]
        try:
            module = import_module(f"turkpoker.server.cli.{module_name}")
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if missing == f"turkpoker.server.cli.{module_name}":
                raise click.ClickException(f"{cmd_name} is not part of this version") from None
            if missing.startswith("turkpoker.") and missing != "turkpoker.server.cli.demo":
                raise
            raise click.ClickException(f"{cmd_name} needs more: pip install 'turkpoker[{extra}]'") from None
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of commands, without importing one of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="turkpoker", message="%(prog)s %(version)s")
def turkpoker() -> None:
    """Turkish poker and its kin: tables over gRPC, a hand evaluator, hands that replay."""
