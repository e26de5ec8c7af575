"""Small plots as inline SVG: metrics with intervals, ranks, and search times."""

from collections.abc import Mapping, Sequence
from html import escape

from sourcebook.evaluation.confidence import Estimate

WIDTH = 560
LABEL_WIDTH = 96
ROW = 22
BAR = 14
RIGHT = 56
# Ranks up to and with these; what comes later, or not at all, is one column more.
RANK_BOUNDS = {"1": 1, "2": 2, "3": 3, "4 to 5": 5, "6 to 10": 10}
NOT_FOUND = "later, or not found"


def interval_bars(sides: Sequence[Mapping[str, Estimate]], labels: Mapping[str, str]) -> str:
    """Draw a bar from 0 to 1 for each metric of each side, with its interval as a line."""
    parts, y = [], 0
    for name, label in labels.items():
        parts.append(_text(0, y + BAR - 2, label))
        for place, metrics in enumerate(sides):
            one = metrics[name]
            parts.append(_bar(y, one.value, f"{one.value:.3f}", f"side{place}"))
            low, high, middle = _x(one.low), _x(one.high), y + BAR / 2
            parts.append(
                f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}"'
                f' y2="{middle}"/>'
            )
            y += ROW - 4
        y += 8
    return _svg(y, parts, "Metrics with 95 % intervals")


def rank_bars(sides: Sequence[Sequence[int | None]]) -> str:
    """Draw how often the first relevant document was at which rank."""
    counts = [_count_ranks(ranks) for ranks in sides]
    parts, y = [], 0
    for label in (*RANK_BOUNDS, NOT_FOUND):
        parts.append(_text(0, y + BAR - 2, label))
        for place, (found, ranks) in enumerate(zip(counts, sides, strict=True)):
            share = found[label] / len(ranks) if ranks else 0.0
            parts.append(_bar(y, share, str(found[label]), f"side{place}"))
            y += ROW - 4
        y += 8
    return _svg(y, parts, "Rank of the first relevant document")


def time_curves(sides: Sequence[Sequence[float]]) -> str:
    """Draw the share of searches that were done within a time."""
    longest = max((max(times) for times in sides if times), default=0.0) or 1.0
    height, parts = 140, []
    for place, times in enumerate(sides):
        steps = [(one / longest, n / len(times)) for n, one in enumerate(sorted(times), 1)]
        points = " ".join(f"{_x(x):.1f},{height - y * (height - 8):.1f}" for x, y in steps)
        parts.append(f'<polyline class="side{place}" points="{_x(0):.1f},{height} {points}"/>')
    parts.append(
        f'<line class="axis" x1="{LABEL_WIDTH}" x2="{_x(1)}" y1="{height}" y2="{height}"/>'
    )
    parts.append(_text(LABEL_WIDTH, height + 16, "0 ms"))
    parts.append(_text(_x(1) - 50, height + 16, f"{longest:.0f} ms"))
    parts.append(_text(0, 14, "100 %"))
    parts.append(_text(0, height, "0 %"))
    return _svg(height + 24, parts, "Share of searches done within a time")


def _count_ranks(ranks: Sequence[int | None]) -> dict[str, int]:
    counts = dict.fromkeys((*RANK_BOUNDS, NOT_FOUND), 0)
    for rank in ranks:
        fits = (label for label, bound in RANK_BOUNDS.items() if rank is not None and rank <= bound)
        counts[next(fits, NOT_FOUND)] += 1
    return counts


def _x(share: float) -> float:
    return LABEL_WIDTH + min(1.0, max(0.0, share)) * (WIDTH - LABEL_WIDTH - RIGHT)


def _bar(y: float, share: float, shown: str, kind: str) -> str:
    width = _x(share) - LABEL_WIDTH
    bar = f'<rect class="{kind}" x="{LABEL_WIDTH}" y="{y}" width="{width:.1f}" height="{BAR}"/>'
    return bar + _text(WIDTH - RIGHT + 8, y + BAR - 2, shown)


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )
