"""The settings that say how much one may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from turkpoker.server.addresses import Network, parse_networks
from turkpoker.server.buckets import Limit
from turkpoker.server.setting import parse_duration, parse_int, setting

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSettings:
    """Limits of one server process; part of ``ServerSettings``."""

    trusted_proxies: tuple[Network, ...] = setting(
        (),
        parse_networks,
        "Networks of proxies whose x-forwarded-for tells where a call without a token comes from, such as "
        "10.0.0.0/8,192.0.2.7; default: none, and all callers of a proxy count as one",
    )
    guest_limit: Limit = setting(
        Limit.parse("30/m,30"), Limit.parse, "How many guests one address may ask for: rate, burst; 0: any"
    )
    player_limit: Limit = setting(
        Limit.parse("1000/s,2000"),
        Limit.parse,
        "How many calls and actions one player may send: rate, burst; 0: any",
    )
    create_limit: Limit = setting(
        Limit.parse("60/m,60"), Limit.parse, "How many tables one player may make: rate, burst; 0: any"
    )
    table_limit: Limit = setting(
        Limit.parse("4000/s,8000"),
        Limit.parse,
        "How many changes one table takes: rate, burst; 0: any",
    )
    stranger_limit: Limit = setting(
        Limit.parse("5000/s,10000"),
        Limit.parse,
        "How many calls without a token one address may send: rate, burst; 0: any",
    )
    sign_in_limit: Limit = setting(
        Limit.parse("500/s,5000"),
        Limit.parse,
        "How many new tokens one address may show: rate, burst; 0: any",
    )
    max_message_bytes: int = setting(
        4 * MIB, parse_int, "The longest message that is taken or sent", least=64 * 1024, most=256 * MIB
    )
    max_batch_hands: int = setting(500_000, parse_int, "The most hands of one BatchEvaluateHands", least=1)
    max_unanswered_actions: int = setting(
        16, parse_int, "The most unanswered actions of one Play stream", least=1
    )
    max_streams_per_player: int = setting(
        32, parse_int, "The most streams that one player may have open at once", least=1
    )
    max_hosted_tables: int = setting(
        20, parse_int, "How many open tables one player may have made; 0: any number", least=0
    )
    max_joined_tables: int = setting(
        20, parse_int, "At how many tables of others one player may sit; 0: any number", least=0
    )
    max_metadata_bytes: int = setting(
        16 * 1024, parse_int, "The longest metadata of a call, its token included", least=4096, most=MIB
    )
    max_calls_per_connection: int = setting(
        4096, parse_int, "The most calls and streams of one connection at once; more wait", least=1
    )
    max_connections: int = setting(
        50_000, parse_int, "The most connections at once; more are closed at once", least=1
    )
    handshake_timeout: timedelta = setting(
        timedelta(seconds=10), parse_duration, "How long a new connection may take to say what it wants"
    )
    connection_idle: timedelta = setting(
        timedelta(minutes=10), parse_duration, "After how long a connection without calls is closed"
    )
