"""A picture of what each discard is worth; needs the extra ``plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

FORMATS = (".png", ".svg")


def check_plot_file(file: Path) -> None:
    """Refuse a name that no picture can have, before anything is counted."""
    if file.suffix.lower() not in FORMATS:
        raise click.UsageError(f"--plot: {file} ends neither in .png nor in .svg")
    if not file.parent.is_dir():
        raise click.UsageError(f"--plot: there is no directory {file.parent}")


def draw_odds(
    file: Path, title: str, labels: Sequence[str], wins: Sequence[float], ties: Sequence[float]
) -> None:
    """Draw one bar a discard, best on top: the chance to win in percent, and to tie after it.

    Args:
        file: where the picture goes; its ending says png or svg.
        title: stands above the bars.
        labels: a discard each, best first.
        wins, ties: chances in percent, in the order of ``labels``.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, and not everybody's
    except ModuleNotFoundError:
        raise click.ClickException("--plot needs more: pip install 'turkpoker[plot]'") from None
    # A figure without pyplot: no window system is asked for, and nothing global changes.
    figure = Figure(figsize=(8, 1.4 + 0.3 * len(labels)), layout="constrained")
    axes = figure.subplots()
    places = range(len(labels))
    axes.barh(places, wins, color="#1b7f4b", label="win")
    axes.barh(places, ties, left=wins, color="#c9a227", label="tie")
    for place, (win, tie) in enumerate(zip(wins, ties, strict=True)):
        axes.text(win + tie + 0.8, place, f"{win + tie / 2:.1f} %", va="center", fontsize=9)
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 110)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("% against a random hand of the unseen cards; the figure is win + tie / 2")
    axes.set_title(title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right")
    try:
        figure.savefig(file, dpi=120)
    except OSError as error:
        raise click.UsageError(f"--plot: {file}: {error.strerror}") from None
