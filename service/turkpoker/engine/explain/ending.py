"""The page's sections on the second round, the showdown, the proof of openers, and the match."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from turkpoker.engine.explain.outline import Line, Section, Setting, point, section
from turkpoker.engine.explain.writing import Count, Sentence, chips, say
from turkpoker.engine.levels import Level


def second_round_section(setting: Setting) -> Section:
    """The betting after the draw."""
    rules = setting.rules
    return section(
        "h_round2",
        point(*_first_speaker(setting)),
        point(
            say("round2_actions"),
            say("round2_free_fold" if rules.free_fold_round2 else "round2_no_free_fold"),
        ),
        point(say(f"check_raise_{rules.check_raise}")),
        point(say(f"all_check_{rules.all_check_after_draw}")),
        point(say("round2_skipped")),
    )


def _first_speaker(setting: Setting) -> Iterator[Sentence]:
    if not setting.blind:
        yield say("round2_opener")
    elif setting.rules.round2_start == "left_of_last_blinder":
        yield say("round2_left_of_blinder")
    else:
        yield say("round2_left_of_dealer")
    if setting.blind and setting.opens:
        yield say("round2_opener_after_blind")
    yield say("round2_next")


def showdown_section(setting: Setting) -> Section:
    """Who takes what."""
    rules = setting.rules
    shared = rules.tie_break == "split" or rules.hi_lo != "off"
    return section(
        "h_showdown",
        point(say("showdown"), say("showdown_order")),
        point(say("last_player"), say("last_player_hidden") if _stays_hidden(setting) else None),
        point(
            say("side_pots"), say("uncalled"), say("carried_in_main_pot") if setting.pot_may_stay else None
        ),
        point(say("odd_chips")) if shared else None,
        point(*_rake(setting)),
    )


def _stays_hidden(setting: Setting) -> bool:
    return not setting.required or setting.rules.opener_proof == "showdown_only"


def _rake(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    if not rules.rake_per_mille:
        yield say("rake_none")
        return
    yield say("rake", per_mille=rules.rake_per_mille)
    if rules.rake_cap is not None:
        yield say("rake_cap", most=chips(rules.rake_cap))


def proof_section(setting: Setting) -> Section:
    """How the opener shows that he was entitled, and what happens if he was not."""
    rules = setting.rules
    if not setting.required:
        return section("h_proof")
    proof = rules.opener_proof
    shown = proof != "showdown_only"
    return section(
        "h_proof",
        _proof(setting),
        point(say("proof_part")) if shown else None,
        point(say("proof_karanlik")) if rules.karanlik else None,
        point(say(f"false_{proof}"), say("false_showdown")) if rules.false_opening == "penalise" else None,
    )


def _proof(setting: Setting) -> Line:
    rules = setting.rules
    match rules.opener_proof:
        case "showdown_only":
            return point(say("proof_showdown_only"))
        case "to_collect":
            return point(say("proof_to_collect"))
    return point(say("proof_on_request", time=rules.proof_window), say("proof_split"))


def match_section(setting: Setting) -> Section:
    """Chips, the end of the match, and the clock."""
    rules = setting.rules
    lines = _tournament(setting) if rules.match == "tournament" else _session(setting)
    return section(
        "h_match",
        *lines,
        point(say("leaving"), say("leaving_out") if rules.match == "tournament" else None),
        point(*_clock(setting)),
    )


def _session(setting: Setting) -> Iterator[Line]:
    rules = setting.rules
    start = chips(rules.start_stack)
    yield point(say("session"), say("session_carried") if setting.pot_may_stay else None)
    if rules.buy_in_min == rules.buy_in_max:
        yield point(say("buy_in_exact", start=start))
    else:
        yield point(say("buy_in", least=rules.buy_in_min, most=chips(rules.buy_in_max), start=start))
    match rules.rebuy:
        case "none":
            yield point(say("rebuy_none"))
        case "when_bust":
            yield point(say("rebuy_when_bust", start=start))
        case _:
            yield point(say("rebuy_between_deals", most=chips(rules.buy_in_max)))


def _tournament(setting: Setting) -> Iterator[Line]:
    yield point(say("tournament", start=chips(setting.rules.start_stack)), say("tournament_places"))
    if setting.levels:
        yield point(say("levels"), say("levels_first"))
        for number, level in enumerate(setting.levels, 1):
            yield Line("  -", (_level(setting, number, level),))


def _level(setting: Setting, number: int, level: Level) -> Sentence:
    if level.hands is not None:
        length: Count = Count(level.hands, "hand")
    else:
        length = Count(level.minutes or 0, "minute")
    key = "level_blind" if setting.blind else "level_ante"
    paid = chips(level.blind if setting.blind else level.ante)
    last = "_last" if number == len(setting.levels) else ""
    return say(f"{key}{last}", number=number, length=length, paid=paid, least=chips(level.stake_min))


def _clock(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    yield say("clock", time=rules.action_clock)
    if rules.time_bank > timedelta(0):
        yield say("time_bank", time=rules.time_bank)
