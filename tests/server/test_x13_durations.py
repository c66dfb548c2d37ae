"""X13: a duration given in the wrong unit folded players after a second.

So no duration is a bare number: not in the wire contract, not in settings, rules and tables, not on the
command line.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import fields
from datetime import timedelta
from typing import Any, get_type_hints

import click
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from turkpoker import v1
from turkpoker.engine import Rules, RulesError
from turkpoker.server.cli.group import turkpoker as command_line
from turkpoker.server.setting import declared_of
from turkpoker.server.settings import ServerSettings
from turkpoker.storage.redis_store import StoreSettings
from turkpoker.table.config import TableConfig

#: Words that tell of a length of time or a moment, and units in which it might be given.
TIME = re.compile(
    r"(^|_)(time|clock|window|time_bank|pause|delay|timeout|interval|grace|life|lifetime|age|expires?|deadline"
    r"|patience|leeway|refresh|idle|duration|seconds?|minutes?|hours?|millis|ms|us)(_|$)"
)


NO_NUMBERS = (FieldDescriptor.CPPTYPE_BOOL, FieldDescriptor.CPPTYPE_ENUM)


def messages() -> list[Descriptor]:
    found: list[Descriptor] = []
    for module in pkgutil.iter_modules(v1.__path__):
        if module.name.endswith("_pb2"):
            file = importlib.import_module(f"turkpoker.v1.{module.name}").DESCRIPTOR
            found += file.message_types_by_name.values()
    return found


def test_x13_no_message_has_a_time_without_a_type() -> None:
    typed = 0
    for message in messages():
        for each in message.fields:
            if each.message_type is not None:
                typed += each.message_type.full_name in (
                    "google.protobuf.Duration",
                    "google.protobuf.Timestamp",
                )
            elif each.cpp_type not in NO_NUMBERS:
                assert not TIME.search(each.name), f"{each.full_name} is a time without a type"
    assert typed > 20


@pytest.mark.parametrize("kind", [ServerSettings, StoreSettings, TableConfig, Rules])
def test_x13_no_setting_has_a_time_without_a_type(kind: type[Any]) -> None:
    hints = get_type_hints(kind)
    found = [each.name for each in fields(kind) if TIME.search(each.name)]
    assert found or kind is TableConfig
    assert {name: hints[name] for name in found} == dict.fromkeys(found, timedelta)


def test_x13_every_setting_that_is_a_duration_refuses_a_bare_number() -> None:
    durations = [
        each for each in fields(ServerSettings) if get_type_hints(ServerSettings)[each.name] is timedelta
    ]
    assert len(durations) > 10
    for each in durations:
        declared = declared_of(each)
        for bare in ("30", "30.0", "1e3", "-5s", "s", ""):
            with pytest.raises(ValueError, match="no duration"):
                declared.parse(bare)
        assert declared.parse("1500ms") == timedelta(seconds=1.5)


@pytest.mark.parametrize("option", ["action_clock", "time_bank", "proof_window"])
def test_x13_the_clocks_of_the_rules_refuse_a_bare_number(option: str) -> None:
    for bare in (30, 30.0, "30"):
        with pytest.raises(RulesError) as caught:
            Rules.profile("turkish", **{option: bare})
        assert caught.value.field == option
    assert getattr(Rules.profile("turkish", **{option: "1500ms"}), option) == timedelta(seconds=1.5)


def options_of(command: click.Command, path: str) -> list[tuple[str, click.Parameter]]:
    found = [(path, each) for each in command.params]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            found += options_of(below, f"{path} {name}")
    return found


def test_x13_no_flag_takes_a_time_as_a_number() -> None:
    numbers = (click.INT.__class__, click.FLOAT.__class__)
    for path, each in options_of(command_line, "turkpoker"):
        if TIME.search(each.name or ""):
            assert not isinstance(each.type, numbers), f"{path} {each.opts} takes a time as a bare number"
