"""The page's sections on the deal, the first round, the amounts and the draw."""

from __future__ import annotations

from collections.abc import Iterator

from turkpoker.engine.explain.outline import Line, Section, Setting, point, section
from turkpoker.engine.explain.writing import Count, Sentence, chips, say


def deal_section(setting: Setting) -> Section:
    """What is paid before the cards, and how they are dealt."""
    rules = setting.rules
    pays = not setting.blind and rules.ante
    entry = None
    if rules.entry == "opt_in":
        entry = point(say("entry_ante", ante=chips(rules.ante)) if pays else say("entry"), say("entry_few"))
    return section(
        "h_deal",
        entry,
        *(_blinds(setting) if setting.blind else _antes(setting)),
        point(say("deal_cards")),
        _karanlik(setting),
        _carried(setting),
    )


def _antes(setting: Setting) -> Iterator[Line]:
    ante = setting.rules.ante
    yield point(say("ante", ante=chips(ante)), say("ante_short")) if ante else point(say("ante_none"))


def _blinds(setting: Setting) -> Iterator[Line]:
    rules = setting.rules
    yield point(say("blind", blind=chips(rules.blind)), say("blind_short"))
    if rules.over_blind == 1:
        yield point(say("over_blind", double=chips(2 * rules.blind)), say("over_blind_full"))
    elif rules.over_blind == 2:
        values = {"double": chips(2 * rules.blind), "fourfold": chips(4 * rules.blind)}
        yield point(say("over_blind_twice", **values), say("over_blind_full"))
    yield point(say("blind_free"))
    if rules.all_check_after_draw == "carry":
        yield point(say("blind_carried", blind=chips(rules.blind)))


def _karanlik(setting: Setting) -> Line | None:
    rules = setting.rules
    if not rules.karanlik:
        return None
    return point(say("karanlik", bet=chips(rules.karanlik_bet)), say("karanlik_last_word"))


def _carried(setting: Setting) -> Line | None:
    if not setting.pot_may_stay:
        return None
    return point(
        say("carried_missed" if setting.rules.carried_pot_entry == "missed_antes" else "carried_open")
    )


def first_round_section(setting: Setting) -> Section:
    """The betting before the draw, and the opening where there is one."""
    lines: list[Line] = []
    if setting.blind:
        lines.append(point(say("round1_blind"), say("round1_blind_last_word")))
    if setting.opens:
        lines += _opening(setting)
    lines.append(point(say("round_ends")))
    return section("h_round1", *lines)


def _opening(setting: Setting) -> Iterator[Line]:
    rules = setting.rules
    if setting.blind:
        yield point(say("opening_after_blind"), say("unopened_order"))
    else:
        yield point(say("unopened_order"))
    if rules.fold_unopened:
        yield point(say("unopened_may_fold"), say("unopened_alone"))
    else:
        yield point(say("unopened_no_fold"))
    yield point(*_requirement(setting))
    yield point(*_opening_amount(setting))
    yield point(say("opened"))
    yield point(*_nobody_opened(setting))


def _requirement(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    if not setting.required:
        yield say("open_any")
        return
    openers = rules.opening_requirement
    yield say(f"open_{openers}")
    yield say("open_opener_only")
    if setting.climbs:
        yield say(f"openers_climb_{openers}")
    yield say("false_forbid" if rules.false_opening == "forbid" else "false_penalise")


def _opening_amount(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    least, most, pots = rules.opening_min, rules.opening_max, rules.opening_max_pots
    if setting.exact_step and rules.stake_max is not None:
        most = min(rules.stake_max, rules.stake_max if most is None else most)
        least = least if least == "pot" else min(least, most)
    if least == "pot":
        yield say("opening_pot")
        if not rules.ante and not setting.blind:
            yield say("opening_empty_pot", least=chips(rules.stake_min))
    elif least == most:
        yield say("opening_exactly", amount=chips(least))
    else:
        yield say("opening_least", least=chips(least))
    if most is not None and most != least:
        yield say("opening_most", most=chips(most))
    if pots is not None:
        yield say("opening_most_pot") if pots == 1 else say("opening_most_pots", times=pots)
    if rules.opening_cap_on_carried_pot == "pot" and rules.limit != "jackpot":
        yield say("opening_cap_carried")
    yield say("opening_short")


def _nobody_opened(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    if setting.blind:
        yield say("unopened_blind")
    elif not rules.ante:
        yield say("unopened_no_ante")
    else:
        yield say("unopened")
        if rules.max_carries is not None:
            yield say("unopened_most", hands=Count(rules.max_carries, "hand"))
    if rules.ante or setting.blind:
        yield say("unopened_all_in")


def amounts_section(setting: Setting) -> Section:
    """How much may be bet."""
    rules = setting.rules
    stake = chips(rules.stake_min)
    if setting.exact_step and rules.stake_max is not None:
        steps = point(say("step_exact", amount=chips(rules.stake_max)))
    else:
        key = "raise_least" if rules.min_raise == "stake_min" else "raise_last"
        steps = point(say("bet_least", least=stake), say(key, least=stake))
    return section(
        "h_amounts",
        steps,
        point(*_limit(setting)),
        point(say("raises_unlimited")),
        point(say("all_in"), say("all_in_short")),
    )


def _limit(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    yield say(f"limit_{rules.limit}")
    if rules.stake_max is not None and not setting.exact_step:
        key = {"pot": "limit_pot_stake", "jackpot": "limit_jackpot_stake"}.get(rules.limit, "limit_stake")
        yield say(key, most=chips(rules.stake_max))
    if setting.limits:
        yield say("limit_below_least")


def draw_section(setting: Setting) -> Section:
    """The exchange of cards."""
    rules = setting.rules
    return section(
        "h_draw",
        point(say("draw", most=Count(rules.draw_max, "card"))),
        point(say("draw_opener" if rules.draw_start == "opener" and setting.opens else "draw_left")),
        point(*_four_cards(setting)),
        point(say("reshuffle")),
        _split_openers(setting),
    )


def _four_cards(setting: Setting) -> Iterator[Sentence]:
    rules = setting.rules
    if rules.four_card_draw == "at_once":
        yield say("draw_at_once")
        return
    yield say("draw_three_first")
    if rules.draw_max == 5:
        yield say("draw_five_at_once")


def _split_openers(setting: Setting) -> Line | None:
    rules = setting.rules
    if not setting.opens:
        return None
    if rules.split_openers == "own_discard_kept":
        return point(say("split_own_discard"))
    if not setting.required:
        return None
    return point(say("split_declared" if rules.split_openers == "declared_kept_aside" else "split_free"))
