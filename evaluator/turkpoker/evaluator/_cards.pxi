# A hand from whatever Python object holds it. Part of _kernels.pyx.

cdef inline bint _gather_fast(const hand_tables *t, cards, gathered_hand *hand) noexcept:
    """Reads the usual forms without making objects. Whatever is unusual or wrong is left to ``HandTables._gather``."""
    cdef const uint8_t *ids
    if PyBytes_CheckExact(cards):
        if PyBytes_GET_SIZE(cards) != 5:
            return False
        ids = <const uint8_t *>PyBytes_AS_STRING(cards)
        hand[0] = gather_cards(t, ids[0], ids[1], ids[2], ids[3], ids[4])
    elif PyLong_CheckExact(cards):
        hand[0] = gather_mask(t, mask_of_int(<PyObject *>cards))
    elif PyTuple_CheckExact(cards):
        if PyTuple_GET_SIZE(cards) != 5:
            return False
        hand[0] = gather_cards(
            t, id_of_int(PyTuple_GET_ITEM(cards, 0)), id_of_int(PyTuple_GET_ITEM(cards, 1)),
            id_of_int(PyTuple_GET_ITEM(cards, 2)), id_of_int(PyTuple_GET_ITEM(cards, 3)),
            id_of_int(PyTuple_GET_ITEM(cards, 4)),
        )
    elif PyList_CheckExact(cards):
        if PyList_GET_SIZE(cards) != 5:
            return False
        hand[0] = gather_cards(
            t, id_of_int(PyList_GET_ITEM(cards, 0)), id_of_int(PyList_GET_ITEM(cards, 1)),
            id_of_int(PyList_GET_ITEM(cards, 2)), id_of_int(PyList_GET_ITEM(cards, 3)),
            id_of_int(PyList_GET_ITEM(cards, 4)),
        )
    else:
        return False
    return not hand.bad


cpdef tuple card_ids(cards):
    """Card ids, in the order given, from text, bytes of ids, a mask (lowest first) or a sequence of ids.

    Any number of cards, repeated ones included.

    Raises:
        ValueError: something in it is no card.
    """
    cdef uint64_t mask
    if isinstance(cards, str):
        return parse_cards(cards)
    if isinstance(cards, int) and not isinstance(cards, bool):
        if not 0 <= cards < 1 << 52:
            raise ValueError("a mask of cards has bits 0 to 51 only")
        mask = cards
        return tuple([card for card in range(52) if mask >> <int>card & 1])
    try:
        entries = tuple(cards)
    except TypeError:
        raise ValueError(f"cards must be text, bytes, a mask or a sequence of ids, not {type(cards).__name__}") from None
    ids = []
    for card in entries:
        try:
            number = card.__index__()
        except AttributeError:
            raise ValueError(f"no card id: {card!r}") from None
        if isinstance(card, bool) or not 0 <= number <= 51:
            raise ValueError(f"no card id: {card!r} (0 to 51)")
        ids.append(number)
    return tuple(ids)
