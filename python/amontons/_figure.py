"""The figure that a study asks for, drawn with matplotlib."""
from __future__ import annotations

import io
from typing import Any

import numpy

from ._declarations import ffi
from ._library import lib, text_of
from .errors import Unsupported
from .result import Result

_STYLES: dict[int, dict[str, Any]] = {lib.AM_CURVE_LINE: {"linestyle": "-"}, lib.AM_CURVE_DASHED: {"linestyle": "--"},
           lib.AM_CURVE_POINTS: {"linestyle": "", "marker": "o", "markersize": 3},
           lib.AM_CURVE_STEPS: {"linestyle": "-", "drawstyle": "steps-post"}}


def _curve(result: Result, curve: Any, ax: Any) -> None:
    table = result.tables.numpy(text_of(curve.table))
    x, y = table[text_of(curve.x)], table[text_of(curve.y)]
    if curve.by != ffi.NULL:
        rows = table[text_of(curve.by)] == curve.value
        x, y = x[rows], y[rows]
    style = dict(_STYLES[curve.style])
    if curve.colour != ffi.NULL:
        style["color"] = text_of(curve.colour)
    ax.plot(x, y, label=text_of(curve.label) or None, **style)


def _map(result: Result, figure: Any, ax: Any) -> None:
    table = result.tables.numpy(text_of(figure.table))
    x, y, value = (table[text_of(name)] for name in (figure.x, figure.y, figure.value))
    names = None
    if value.dtype == object:
        names, value = numpy.unique(value.astype(str), return_inverse=True)
    columns, across = numpy.unique(x, return_inverse=True)
    rows, up = numpy.unique(y, return_inverse=True)
    cells = numpy.full((len(rows), len(columns)), numpy.nan)
    cells[up, across] = value
    drawn = ax.pcolormesh(columns, rows, cells, shading="nearest", cmap="viridis")
    bar = ax.figure.colorbar(drawn, ax=ax, label="" if names is not None else text_of(figure.value))
    if names is not None:
        bar.set_ticks(range(len(names)), labels=names)


def _finish(figure: Any, ax: Any) -> None:
    ax.set_title(text_of(figure.title))
    ax.set_xlabel(text_of(figure.x_label))
    ax.set_ylabel(text_of(figure.y_label))
    if figure.equal_axes:
        ax.set_aspect("equal", adjustable="datalim")
    if figure.x_log:
        ax.set_xscale("log")
    if figure.y_log:
        ax.set_yscale("log")
    if figure.x_range != ffi.NULL:
        ax.set_xlim(figure.x_range[0], figure.x_range[1])
    if figure.y_range != ffi.NULL:
        ax.set_ylim(figure.y_range[0], figure.y_range[1])
    if ax.get_legend_handles_labels()[1]:
        ax.legend()


def draw(result: Result, ax: Any) -> Any:
    figure = result._report.figure
    if figure == ffi.NULL:
        raise Unsupported("the study asks for no figure; give it one (figure: {x: ..., y: ...}) or plot its tables")
    if figure.kind not in (lib.AM_FIGURE_CURVES, lib.AM_FIGURE_MAP):
        raise Unsupported("matplotlib draws curves and maps; this figure is drawn by save(), as figure.svg")
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure().add_subplot()
    if figure.kind == lib.AM_FIGURE_MAP:
        _map(result, figure, ax)
    for i in range(figure.curve_count):
        _curve(result, figure.curves[i], ax)
    _finish(figure, ax)
    return ax


def as_svg(result: Result) -> str:
    """The figure as SVG for a notebook; "" where it cannot be drawn here."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    page = Figure(figsize=(6, 4))
    FigureCanvasSVG(page)
    try:
        draw(result, page.add_subplot())
    except Unsupported:
        return ""
    text = io.StringIO()
    page.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg"):]
