"""Whatever comes in as a batch works or raises ValueError, and never touches memory that is not its own."""

import ctypes
import os
import random
import subprocess
import sys
import threading
from array import array
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from turkpoker.evaluator import Evaluator, deck_cards
from turkpoker.evaluator._kernels import available_kernels, force_kernel, kernel_name


def random_hands(deck, count, seed=1):
    rng = random.Random(seed)
    return [rng.sample(deck_cards(deck), 5) for _ in range(count)]


def as_rows(hands):
    return b"".join(map(bytes, hands))


def as_columns(hands):
    return b"".join(bytes(column) for column in zip(*hands, strict=True))


def as_masks(hands):
    return array("Q", [sum(1 << card for card in hand) for hand in hands])


FORMS = {"strengths": as_rows, "strengths_columns": as_columns, "strengths_masks": as_masks}
SIZES = [0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1000]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("deck", [36, 52])
def test_every_length(name, deck, kernel):
    evaluator = Evaluator(deck, suit_tiebreak=deck == 52)
    hands = random_hands(deck, max(SIZES))
    expected = [evaluator.strength(hand) for hand in hands]
    for size in SIZES:
        guard = array("H", [0xBEEF] * (size + 16))
        out = memoryview(guard)[8 : 8 + size]
        assert getattr(evaluator, name)(FORMS[name](hands[:size]), out) is out
        assert list(out) == expected[:size]
        assert list(guard[:8]) == list(guard[8 + size :]) == [0xBEEF] * 8
        made = getattr(evaluator, name)(FORMS[name](hands[:size]))
        assert made == array("H", expected[:size])


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("deck", [36, 52])
def test_the_first_bad_hand_is_named(name, deck, kernel):
    evaluator = Evaluator(deck)
    hands = random_hands(deck, 700)
    rng = random.Random(3)
    for first in (0, 1, 31, 32, 63, 64, 100, 255, 256, 511, 512, 600, 640, 699):
        spoiled = [list(hand) for hand in hands]
        kinds = ["twice"] + ["below"] * (deck < 52) + ["above"] * (name != "strengths_masks")
        for row in {first, min(first + 5, 699), 699}:
            spoil(spoiled[row], rng.choice(kinds), deck, rng)
        word = "column" if name == "strengths_columns" else "row"
        with pytest.raises(ValueError, match=f"^{word} {first}: "):
            getattr(evaluator, name)(FORMS[name](spoiled))
        with pytest.raises(ValueError, match=f"^{word} {first}: "):
            getattr(evaluator, name)(FORMS[name](spoiled), threads=2)


def spoil(hand, kind, deck, rng):
    one, other = rng.sample(range(5), 2)
    if kind == "twice":
        hand[one] = hand[other]
    elif kind == "below":
        hand[one] = 52 - deck - 1
    else:
        hand[one] = rng.choice([52, 53, 63, 64, 64 + 51, 128 + 51, 255])


@pytest.mark.parametrize("place", range(5))
def test_no_bad_card_is_overlooked(place, kernel):
    evaluator = Evaluator(36)
    hands = [[51, 46, 41, 36, 31] for _ in range(256)]
    for value in range(256):
        hands[value][place] = value
    fresh = as_rows(hands)
    good = [row for row, hand in enumerate(hands) if 16 <= hand[place] < 52 and len(set(hand)) == 5]
    for row in range(256):
        batch = fresh[5 * row : 5 * row + 5] * 64
        if row in good:
            assert set(evaluator.strengths(batch)) == {evaluator.strength(bytes(hands[row]))}
        else:
            with pytest.raises(ValueError, match=r"^row 0: "):
                evaluator.strengths(batch)


def test_threads_give_the_same(kernel):
    hands = random_hands(36, 2000) * 50
    for name, form in FORMS.items():
        source = form(hands)
        one = getattr(Evaluator(36), name)(source)
        assert getattr(Evaluator(36), name)(source, threads=3) == one
        assert getattr(Evaluator(36), name)(source, None, 256) == one


@pytest.mark.parametrize(("deck", "suits"), [(36, False), (36, True), (52, False), (52, True)])
def test_results_too_large_for_the_caches(deck, suits, usual_kernel):
    source = as_rows(random_hands(deck, 3000)) * 750
    count = len(source) // 5
    evaluator = Evaluator(deck, suit_tiebreak=suits)
    expected = evaluator.strengths(source[: 5 * 3000]) * 750
    memory = array("H", bytes(2 * (count + 16)))
    for kernel in available_kernels():
        force_kernel(kernel)
        # Places that wide stores like, and one that they do not.
        for start in (0, 8, 3):
            out = memoryview(memory)[start : start + count]
            evaluator.strengths(source, out)
            assert out == expected
        assert evaluator.strengths(source, threads=2) == expected


@pytest.mark.parametrize("threads", [0, -1, 257, True, 1.0, "2", None])
def test_bad_threads(threads):
    with pytest.raises(ValueError, match="threads must be"):
        Evaluator().strengths(b"", threads=threads)


def test_the_interpreter_runs_meanwhile():
    source = as_rows(random_hands(36, 1000)) * 2000
    out = array("H", bytes(2 * 2_000_000))
    seen = []
    worker = threading.Thread(target=lambda: (Evaluator(36).strengths(source, out), seen.append("done")))
    worker.start()
    steps = 0
    while worker.is_alive():
        steps += 1
    worker.join()
    assert seen == ["done"]
    # With the interpreter held there would be a handful of steps at most.
    assert steps > 20


@pytest.mark.parametrize(
    "source",
    [
        *[None, 5, 1.5, "As Ks Qs Js Ts", [51, 50, 49, 48, 47], object(), b"1234", bytearray(7)],
        *[array("H", [1] * 5), array("b", [1] * 5), array("d", [1.0] * 5), memoryview(bytes(20))[::2]],
        *[memoryview(bytes(20)).cast("B", (2, 10)), memoryview(bytes(20)).cast("B", (5, 2, 2))],
    ],
)
def test_wrong_sources(source):
    for name in ("strengths", "strengths_columns"):
        if name == "strengths_columns" and getattr(source, "shape", None) == (5, 4):
            continue
        with pytest.raises(ValueError, match=r".+"):
            getattr(Evaluator(), name)(source)
    if not isinstance(source, array) or source.typecode != "Q":
        with pytest.raises(ValueError, match=r".+"):
            Evaluator().strengths_masks(source)


@pytest.mark.parametrize(
    "out",
    [
        *[5, b"ab", bytes(4), array("H", [0]), array("H", [0] * 3), array("h", [0] * 2), array("I", [0] * 2)],
        *[memoryview(array("H", [0] * 4))[::2], memoryview(bytes(4)).cast("H")],
        *[memoryview(bytearray(4)).cast("H", (2, 1)), memoryview(bytearray(8))],
    ],
)
def test_wrong_targets(out):
    rows = as_rows(random_hands(36, 2))
    with pytest.raises(ValueError, match=r".+"):
        Evaluator().strengths(rows, out)


def test_shapes_and_types_that_work():
    hands = random_hands(36, 6)
    expected = [Evaluator().strength(hand) for hand in hands]
    rows = as_rows(hands)
    sources = [rows, bytearray(rows), memoryview(rows), array("B", rows), memoryview(rows).cast("B", (6, 5))]
    sources.append((ctypes.c_uint8 * 30).from_buffer_copy(rows))
    for source in sources:
        assert list(Evaluator().strengths(source)) == expected
    columns = memoryview(as_columns(hands)).cast("B", (5, 6))
    assert list(Evaluator().strengths_columns(columns)) == expected
    signed = array("q", as_masks(hands))
    masks = as_masks(hands)
    assert list(Evaluator().strengths_masks(masks)) == expected
    assert list(Evaluator().strengths_masks(array("L", masks))) == expected
    with pytest.raises(ValueError, match="masks must be"):
        Evaluator().strengths_masks(signed)


def test_numpy_arrays():
    numpy = pytest.importorskip("numpy")
    hands = random_hands(36, 100)
    rows = numpy.array(hands, dtype=numpy.uint8)
    expected = [Evaluator().strength(hand) for hand in hands]
    found = Evaluator().strengths(rows)
    assert isinstance(found, numpy.ndarray)
    assert found.dtype == numpy.uint16
    assert found.tolist() == expected
    assert Evaluator().strengths_columns(numpy.ascontiguousarray(rows.T)).tolist() == expected
    out = numpy.zeros(100, dtype=numpy.uint16)
    assert Evaluator().strengths(rows, out) is out
    for wrong in (
        rows.T,
        rows[::2],
        rows[:, ::-1],
        rows.astype(numpy.int64),
        rows.astype(object),
        rows[:, :4],
    ):
        with pytest.raises(ValueError, match=r".+"):
            Evaluator().strengths(wrong)
    with pytest.raises(ValueError, match="uint16"):
        Evaluator().strengths(rows, numpy.zeros(100, dtype=numpy.int16))


def test_source_and_target_in_the_same_memory(kernel):
    # Nonsense, but no reason to crash.
    memory = bytearray(as_rows(random_hands(36, 400)))
    out = memoryview(memory)[:800].cast("H")
    try:
        Evaluator().strengths(bytes(memory), out)
        Evaluator().strengths(memory, out)
    except ValueError:
        pass


@given(
    st.binary(max_size=2000),
    st.sampled_from([24, 36, 40, 52]),
    st.booleans(),
    st.sampled_from(available_kernels()),
    st.integers(1, 3),
)
@settings(max_examples=150, deadline=None)
def test_any_bytes(data, deck, suits, kernel, threads):
    evaluator = Evaluator(deck, suit_tiebreak=suits)
    before = kernel_name()
    force_kernel(kernel)
    try:
        for name, source in [
            ("strengths", data),
            ("strengths_columns", data),
            ("strengths_masks", memoryview(data)[: len(data) // 8 * 8].cast("Q")),
        ]:
            try:
                found = getattr(evaluator, name)(source, threads=threads)
            except ValueError as error:
                message = str(error)
                assert "row" in message or "column" in message or "multiple of five" in message
            else:
                assert all(1 <= strength <= evaluator.levels for strength in found)
    finally:
        force_kernel(before)


ANYTHING = st.one_of(
    st.integers(),
    st.integers(0, 2**52 - 1),
    st.binary(max_size=8),
    st.text(max_size=20),
    st.lists(st.integers(-1, 60), max_size=7),
    st.tuples(*[st.integers(-1, 52)] * 5),
    st.floats(),
    st.none(),
    st.booleans(),
    st.lists(st.one_of(st.none(), st.floats(), st.booleans(), st.text(max_size=2)), max_size=6),
)


@given(ANYTHING, st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_single_argument(cards, suits):
    evaluator = Evaluator(36, suit_tiebreak=suits)
    for call in (
        evaluator.strength,
        evaluator.low_strength,
        evaluator.category,
        lambda c: evaluator.opens(c, "K"),
    ):
        with suppress(ValueError):
            call(cards)
    try:
        strength = evaluator.strength(cards)
    except ValueError:
        return
    assert 1 <= strength <= evaluator.levels


def test_kernels_by_name():
    before = kernel_name()
    for name in available_kernels():
        force_kernel(name)
        assert kernel_name() == name
        import turkpoker.evaluator

        assert turkpoker.evaluator.kernel == name
    force_kernel(before)
    for name in ("avx3", "", None):
        with pytest.raises(ValueError, match="no kernel"):
            force_kernel(name)
    assert "scalar" in available_kernels()


def run_with_kernel(name):
    code = (
        "import turkpoker.evaluator as e\n"
        "print(e.Evaluator().strength('As Ks Qs Js Ts'))\n"
        "try:\n    print(list(e.Evaluator().strengths(bytes([51, 47, 43, 39, 35]))), e.kernel)\n"
        "except ValueError as error:\n    print(error)\n"
    )
    environment = os.environ | {"TURKPOKER_KERNEL": name}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()


@pytest.mark.parametrize("name", [*available_kernels(), "avx3"])
def test_the_environment_forces_a_kernel(name):
    single, batch = run_with_kernel(name)
    assert single == "1404"
    assert batch.startswith("no kernel 'avx3' on this machine" if name == "avx3" else f"[1404] {name}")
