# Batches: buffers in and out, and threads. Part of _kernels.pyx.

cdef class _Part:
    """A stretch of a batch, for one thread."""

    cdef const hand_tables *tables
    cdef const char *hands
    cdef uint16_t *out
    cdef ptrdiff_t stride, first, n, done
    cdef int form, kernel

    def __call__(self):
        with nogil:
            self.done = strengths_of_hands(self.tables, self.hands, self.stride, self.n, self.out, self.form, self.kernel)


cdef ptrdiff_t _evaluate(const hand_tables *t, const void *hands, ptrdiff_t n, uint16_t *out, int form, int threads) except -1:
    """n, or the first bad hand. The caller keeps the buffers."""
    cdef ptrdiff_t done, first, share
    cdef int kernel = _chosen_kernel()
    cdef _Part part
    if threads == 1 or n < 2 * _LEAST_SHARE:
        with nogil:
            done = strengths_of_hands(t, hands, n, n, out, form, kernel)
        return done
    # Whole cache lines for each.
    share = (max(_LEAST_SHARE, (n + threads - 1) // threads) + 63) // 64 * 64
    parts = []
    for first in range(0, n, share):
        part = _Part.__new__(_Part)
        part.tables = t
        part.hands = <const char *>hands + first * (5 if form == AS_ROWS else 1 if form == AS_COLUMNS else 8)
        part.out = out + first
        part.stride = n
        part.first = first
        part.n = min(share, n - first)
        part.form = form
        part.kernel = kernel
        parts.append(part)
    others = [_Thread(target=part) for part in parts[1:]]
    for thread in others:
        thread.start()
    parts[0]()
    for thread in others:
        thread.join()
    for part in parts:
        if part.done < part.n:
            return part.first + part.done
    return n


cdef object _get_buffer(source, Py_buffer *view, int flags, str name):
    try:
        PyObject_GetBuffer(source, view, flags)
    except (TypeError, BufferError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None


cdef str _format(Py_buffer *view):
    cdef str code = "B" if view.format is NULL else view.format.decode("ascii", "replace")
    if code[:1] in ("@", "=", "<" if sys.byteorder == "little" else ">"):
        code = code[1:]
    if view.itemsize == 8 and code in ("Q", "L"):
        return "Q"
    return code


cdef ptrdiff_t _hands_in(Py_buffer *view, int form) except -1:
    cdef str code = _format(view)
    cdef ptrdiff_t items = view.len // view.itemsize if view.itemsize else 0
    if form == AS_MASKS:
        if code != "Q" or view.ndim > 1:
            raise ValueError("masks must be uint64 in one dimension")
        return items
    if code != "B" or view.itemsize != 1:
        raise ValueError(f"card ids must be uint8, not {code!r}")
    if view.ndim == 2:
        if view.shape[1 if form == AS_ROWS else 0] != 5:
            raise ValueError("rows must have the shape (n, 5)" if form == AS_ROWS else "columns must have the shape (5, n)")
    elif view.ndim > 2 or items % 5:
        raise ValueError("hands must be a multiple of five card ids in one dimension, or have two dimensions")
    return items // 5
