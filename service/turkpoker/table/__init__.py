"""What outlives a hand: seats, dealer, carried pot, buy-ins, clocks.

Commands in, events out; no I/O of its own.
"""
