"""From hand to hand: dealer, carried pots, decisions and their names, refusals."""

from __future__ import annotations

from datetime import timedelta

import pytest
from table.desks import Desk, StackedDealer, snapshot
from turkpoker.evaluator import parse_cards
from turkpoker.table.commands import Act, SitIn, SitOut
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.events import DealerDrawn, DealStarted, DecisionAsked, HandSettled, project
from turkpoker.table.state import parse_decision_id

PAUSE = timedelta(seconds=3)
ACES_FOR_FIRST = "Ac 8d 9s Ad Td Js Kc Qd 8c 9c Th Jd 8h 9h Ts"


def desk_of(*players: str, tops: dict[tuple[str, int], str] | None = None, **options: object) -> Desk:
    desk = Desk(StackedDealer(tops or {("deal", 1): ACES_FOR_FIRST}), hand_pause=PAUSE, **options)
    desk.join(*players)
    desk.time_out()
    return desk


def check_out(desk: Desk) -> None:
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "check")


def test_the_first_dealer_draws_the_highest_card_and_equal_ranks_draw_again() -> None:
    desk = desk_of("a", "b", "c", tops={("first_dealer", 1): "Kd As Ac 9d Jh"})
    (drawn,) = [event for event in desk.last.events if isinstance(event, DealerDrawn)]
    cards = parse_cards("Kd As Ac 9d Jh")
    assert drawn.draws == tuple(zip((0, 1, 2, 1, 2), cards, strict=True))
    assert (drawn.dealer_seat, desk.state.dealer) == (2, 2)


def test_with_suits_a_tie_of_ranks_is_none() -> None:
    desk = desk_of(
        "a", "b", "c", tops={("first_dealer", 1): "Kd As Ac"}, tie_break="suits", first_dealer="high_card"
    )
    assert desk.state.dealer == 1


def test_a_random_first_dealer_shows_no_cards() -> None:
    desk = desk_of("a", "b", tops={("first_dealer", 1): "Kd As"}, first_dealer="random")
    (drawn,) = [event for event in desk.last.events if isinstance(event, DealerDrawn)]
    assert (drawn.draws, drawn.dealer_seat) == ((), 1)


def test_the_deal_passes_clockwise_after_every_hand_over_who_is_dealt_in() -> None:
    desk = desk_of("a", "b", "c")
    dealers = [desk.state.dealer]
    for _ in range(5):
        check_out(desk)
        desk.time_out()
        dealers.append(desk.state.dealer)
    assert dealers == [0, 1, 2, 0, 1, 2]


def test_deal_started_names_players_and_chips_from_the_dealers_left() -> None:
    desk = desk_of("a", "b", "c")
    (started,) = [event for event in desk.last.events if isinstance(event, DealStarted)]
    assert started.hand_number == 1
    assert [(seat.seat, seat.player, seat.stack) for seat in started.seats] == [
        (1, "b", 100),
        (2, "c", 100),
        (0, "a", 100),
    ]


def test_the_deck_follows_from_the_players_dealt_in() -> None:
    desk = desk_of("a", "b", "c")
    (deal,) = [context for context in desk.dealer.asked if context.purpose == "deal"]  # type: ignore[union-attr]
    assert (deal.table_id, deal.hand_number, deal.shuffle_number) == ("t1", 1, 1)
    assert desk.state.hand is not None
    assert len(desk.state.hand.record().deck) == 28


def test_a_dead_hand_is_carried_to_the_next_one_and_counted() -> None:
    desk = desk_of("a", "b", "c")
    check_out(desk)
    (settled,) = [event for event in desk.last.events if isinstance(event, HandSettled)]
    assert settled.carried == 3
    assert (desk.state.carried, desk.state.dead_before) == (3, 1)
    assert desk.left("next_hand") == PAUSE
    desk.time_out()
    assert desk.state.hand is not None
    assert desk.state.hand.pot == 6
    assert desk.state.carried == 0
    check_out(desk)
    assert (desk.state.carried, desk.state.dead_before) == (6, 2)


def test_a_finished_hand_leaves_its_record_and_players() -> None:
    desk = desk_of("a", "b", "c")
    check_out(desk)
    (hand,) = desk.last.finished
    assert (hand.hand_number, dict(hand.players)) == (1, {1: "b", 2: "c", 0: "a"})
    assert hand.record["steps"][0] == {"seat": "B", "action": "check"}
    assert "As" not in repr(hand)


def test_a_player_without_chips_stays_seated_and_is_not_dealt_in() -> None:
    desk = desk_of("a", "b", "c")
    first, second, third = desk.state.hand_players.values()
    desk.act(first, "open", 99)
    desk.act(second, "call")
    desk.act(third, "fold")
    while desk.state.hand_running:
        desk.act(desk.asked()[0], "draw")
    assert desk.stacks() == {first: 201, second: 0, third: 99}
    desk.time_out()
    assert sorted(desk.state.hand_players.values()) == sorted([first, third])
    assert desk.state.seats[desk.state.seat_of(second) or 0].stack == 0


def test_decision_ids_name_hand_phase_seat_and_question() -> None:
    desk = desk_of("a", "b", "c")
    (asked,) = desk.questions()
    assert asked.decision_id == "h1.round1.s1.d1"
    name = parse_decision_id(asked.decision_id)
    assert (name.hand_number, name.phase, name.seat, name.question) == (1, "round1", 1, 1)
    desk.act("b", "check")
    assert [asked.decision_id for asked in desk.questions()] == ["h1.round1.s2.d2"]


@pytest.mark.parametrize(
    "text", ["", "h1", "h1.round1.s1", "h1.round1.s1.d1 ", "h-1.round1.s1.d1", "h1.R.s1.d1"]
)
def test_what_is_no_decision_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="looks like"):
        parse_decision_id(text)
    desk = desk_of("a", "b", "c")
    assert refused(desk, Act("b", text, "check")).field == "decision_id"


def refused(desk: Desk, command: Act) -> TableError:
    before = snapshot(desk.state)
    with pytest.raises(TableError) as caught:
        desk.do(command)
    assert snapshot(desk.state) == before
    return caught.value


def test_x6_an_answered_decision_is_stale_and_somebody_elses_is_not_your_turn() -> None:
    desk = desk_of("a", "b", "c")
    answered = desk.state.decision_id(1)
    desk.act("b", "check")
    assert refused(desk, Act("b", answered, "check")).reason is Reason.STALE_DECISION
    current = desk.state.decision_id(2)
    error = refused(desk, Act("b", current, "check"))
    assert (error.reason, error.metadata) == (Reason.NOT_YOUR_TURN, {"seat": "2"})
    assert error.decision is None


def test_x7_a_decision_of_an_earlier_hand_is_stale() -> None:
    desk = desk_of("a", "b", "c")
    old = desk.state.decision_id(1)
    check_out(desk)
    desk.time_out()
    desk.act(desk.asked()[0], "check")
    assert refused(desk, Act("b", old, "check")).reason is Reason.STALE_DECISION
    assert refused(desk, Act("b", "h99.round1.s1.d1", "check")).reason is Reason.STALE_DECISION


def test_x8_who_does_not_sit_here_has_no_say() -> None:
    desk = desk_of("a", "b", "c")
    error = refused(desk, Act("stranger", desk.state.decision_id(1), "check"))
    assert error.reason is Reason.NOT_YOUR_SEAT


def test_a_refusal_by_the_rules_names_reason_range_and_the_own_decision() -> None:
    desk = desk_of("a", "b", "c")
    question = desk.state.decision_id(1)
    error = refused(desk, Act("b", question, "fold"))
    assert (error.reason, error.metadata) == (Reason.ACTION_NOT_LEGAL, {"action": "fold"})
    assert error.decision is not None
    assert error.decision.legal == {"check": True, "open": (2, 99)}
    error = refused(desk, Act("b", question, "open", 100))
    assert (error.reason, error.metadata) == (Reason.AMOUNT_OUT_OF_RANGE, {"min": "2", "max": "99"})


@pytest.mark.parametrize(
    ("action", "to", "field"),
    [
        ("open", None, "action.to"),
        ("open", 2.1, "action.to"),
        ("open", True, "action.to"),
        ("open", -5, "action.to"),
        ("open", 2**63, "action.to"),
        ("jump", None, "action"),
        ("leave", None, "action"),
    ],
)
def test_b7_an_action_that_nothing_could_allow_is_refused_by_field(
    action: str, to: object, field: str
) -> None:
    desk = desk_of("a", "b", "c")
    error = refused(desk, Act("b", desk.state.decision_id(1), action, to))  # type: ignore[arg-type]
    assert (error.reason, error.field) == (Reason.INVALID_FIELD, field)


def test_d2_a_bad_discard_is_refused() -> None:
    desk = desk_of("a", "b", "c")
    desk.act("b", "open", 5)
    desk.act("c", "call")
    desk.act("a", "fold")
    question = desk.state.decision_id(1)
    for cards in ("9s", "Ac Ac", "Ac Ad Kc 9c 8h"):
        error = refused(desk, Act("b", question, "draw", None, parse_cards(cards)))
        assert error.reason in (Reason.BAD_DISCARD, Reason.INVALID_FIELD)


def test_only_the_asked_sees_what_he_may_do() -> None:
    desk = desk_of("a", "b", "c")
    (asked,) = desk.questions()
    for viewer in (0, 2, None):
        seen = project(asked, viewer)
        assert isinstance(seen, DecisionAsked)
        assert seen.legal is None
        assert seen.decision_id == asked.decision_id
    assert project(asked, 1) == asked


def test_dealt_cards_go_to_their_owner_alone() -> None:
    desk = desk_of("a", "b", "c")
    dealt = [event for event in desk.last.events if event.name == "cards_dealt"]
    assert len(dealt) == 3
    for event in dealt:
        for viewer in (0, 1, 2, None):
            seen = project(event, viewer)
            own = event.seat == viewer  # type: ignore[union-attr]
            assert (seen.cards is not None) is own  # type: ignore[union-attr]


def test_who_takes_a_leavers_seat_does_not_see_his_cards() -> None:
    desk = desk_of("a", "b", "c")
    first, second, third = desk.state.hand_players.values()
    seat = desk.state.seat_of(first)
    desk.act(first, "check")
    desk.leave(first)
    desk.act(second, "check")
    desk.act(third, "check")
    desk.join("d")
    assert desk.state.seat_of("d") == seat
    assert desk.state.viewer_seat("d") is None
    assert desk.state.viewer_seat(first) == seat


def test_missed_antes_are_paid_into_a_carried_pot_by_who_sat_out_or_comes_later() -> None:
    desk = Desk(hand_pause=PAUSE, ante=2, carried_pot_entry="missed_antes")
    desk.join("a", "b", "c")
    desk.do(SitOut("c"))
    desk.time_out()
    check_out(desk)
    assert {seat.player: seat.owed for seat in desk.state.seats.values()} == {"a": 0, "b": 0, "c": 2}
    desk.do(SitIn("c"))
    desk.join("d")
    assert desk.state.seats[3].owed == 2
    desk.time_out()
    # 4 carried, two missed antes of 2, four antes of 2.
    assert desk.state.hand is not None
    assert desk.state.hand.pot == 4 + 4 + 8
    assert desk.stacks() == {"a": 196, "b": 196, "c": 196, "d": 196}
