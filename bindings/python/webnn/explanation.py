"""The result of explain(): text, and a table in notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ._webnn import GraphReport

__all__ = ["Explanation"]


class Explanation(str):
    """The text of explain(); notebooks show it as a table."""

    _report: GraphReport
    _microseconds: Optional[List[float]]

    def __new__(cls, text: str, report: GraphReport,
                microseconds: Optional[Sequence[float]] = None) -> Explanation:
        self = super().__new__(cls, text)
        self._report = report
        self._microseconds = None if microseconds is None else list(microseconds)
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return Explanation, (str(self), self._report, self._microseconds)

    def _repr_html_(self) -> str:
        times = self._microseconds
        head = ["operators", "backend", "kernel", "tiles", "packed bytes"]
        if times is not None:
            head.append("µs")
        head.append("why not the others")
        rows = []
        for i, step in enumerate(self._report["steps"]):
            operators = ", ".join(
                o["name"] + (f" [{o['label']}]" if o["label"] else "") for o in step["operators"]
            )
            row = [operators, step["backend"], step["kernel"], step["tiles"], step["packed"]]
            if times is not None:
                row.append(f"{times[i]:.1f}" if i < len(times) else "")
            row.append("; ".join(step["others"]))
            rows.append(row)
        cells = lambda tag, row: "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in row)
        body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
        caption = html.escape(self.split("\n", 1)[0])
        # A network has hundreds of steps: the table scrolls in a part of the page.
        return (
            '<div style="max-height: 30em; max-width: 100%; overflow: auto">'
            f"<table><caption>{caption}</caption><thead><tr>{cells('th', head)}</tr></thead>"
            f"<tbody>{body}</tbody></table></div>"
        )
