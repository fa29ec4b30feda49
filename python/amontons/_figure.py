"""The figure that a study asks for, drawn with matplotlib."""
from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from ._declarations import ffi
from ._library import lib, text_of
from .errors import InputError, Unsupported
from .result import Result, Table

_STYLES: dict[int, dict[str, Any]] = {lib.AM_CURVE_LINE: {"linestyle": "-"}, lib.AM_CURVE_DASHED: {"linestyle": "--"},
           lib.AM_CURVE_POINTS: {"linestyle": "", "marker": "o", "markersize": 3},
           lib.AM_CURVE_STEPS: {"linestyle": "-", "drawstyle": "steps-post"}}

# Those of figure.svg: contact states, constraints of two nodes, and what has no colour of its own.
_STATES = {"open": "#56b4e9", "stick": "#e69f00", "forward": "#009e73", "backward": "#cc79a7", "undecided": "#bbbbbb"}
_CONSTRAINTS = {"1+": "#2a9d3a", "2+": "#2255cc", "1-": "#dd2222", "2-": "#7a1f3d"}
_PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")


def _curve(result: Result, curve: Any, ax: Any) -> None:
    table = result.tables.numpy(text_of(curve.table))
    x, y = table[text_of(curve.x)], table[text_of(curve.y)]
    if curve.by != ffi.NULL:
        rows = table[text_of(curve.by)] == curve.value
        x, y = x[rows], y[rows]
    if curve.breaks != ffi.NULL:  # a new line where this column changes
        other = table[text_of(curve.breaks)]
        other = other[table[text_of(curve.by)] == curve.value] if curve.by != ffi.NULL else other
        ends = numpy.flatnonzero(other[1:] != other[:-1]) + 1
        x, y = numpy.insert(x, ends, numpy.nan), numpy.insert(y, ends, numpy.nan)
    style = dict(_STYLES[curve.style])
    if curve.colour != ffi.NULL:
        style["color"] = text_of(curve.colour)
    ax.plot(x, y, label=text_of(curve.label) or None, **style)


def _state_colour(label: str, others: int) -> str:
    return _STATES.get(label) or _PALETTE[others % len(_PALETTE)]


def _labels(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], list[str]]:
    """The different labels, the number of each row's, and colours: states have their own."""
    names, numbers = numpy.unique(labels.astype(str), return_inverse=True)
    others = numpy.cumsum([name not in _STATES for name in names]) - 1
    return names, numbers.reshape(labels.shape), [_state_colour(str(name), i) for name, i in zip(names, others)]


def _map(result: Result, figure: Any, ax: Any) -> None:
    _cells(result.tables.numpy(text_of(figure.table)), text_of(figure.x), text_of(figure.y), text_of(figure.value), ax)


def _cells(table: Table, x_name: str, y_name: str, value_name: str, ax: Any) -> None:
    from matplotlib.colors import ListedColormap

    x, y, value = table[x_name], table[y_name], table[value_name]
    known = numpy.isfinite(x) & numpy.isfinite(y)
    x, y, value = x[known], y[known], value[known]
    names: NDArray[Any] | None = None
    style: dict[str, Any] = {"cmap": "viridis"}
    if value.dtype == object:
        names, value, colours = _labels(value)
        style = {"cmap": ListedColormap(colours), "vmin": -0.5, "vmax": len(names) - 0.5}
    columns, across = numpy.unique(x, return_inverse=True)
    rows, up = numpy.unique(y, return_inverse=True)
    if len(columns) * len(rows) <= 4 * len(x):  # a grid, if not everywhere
        cells = numpy.full((len(rows), len(columns)), numpy.nan)
        cells[up, across] = value
        drawn = ax.pcolormesh(columns, rows, cells, shading="nearest", **style)
    else:
        drawn = ax.scatter(x, y, c=value, s=4, **style)
    bar = ax.figure.colorbar(drawn, ax=ax, label="" if names is not None else value_name)
    if names is not None:
        bar.set_ticks(range(len(names)), labels=names)


def _tint(colour: str, strength: float) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return tuple(1 - strength * (1 - part) for part in to_rgb(colour))


def _sectors(result: Result, figure: Any, ax: Any) -> None:
    """One admissible state gives a sector its colour; several make it grey, the darker the more; none leaves it white."""
    from matplotlib.patches import Circle, Wedge

    table = result.tables.numpy(text_of(figure.table) or "sectors")
    for begin, end, states in zip(table["from_deg"], table["to_deg"], table["states"]):
        end += 360 * (end <= begin)
        several = states.split("+") if states else []
        colour = (_tint(_STATES.get(states, _PALETTE[0]), 0.45) if len(several) == 1 else
                  _tint("#606060", min(0.1 + 0.2 * (len(several) - 1), 0.8) if several else 0.0))
        ax.add_patch(Wedge((0, 0), 1, begin, end, facecolor=colour, edgecolor="#202020", linewidth=1))
        middle = numpy.radians((begin + end) / 2)
        place = 0.65 if end - begin > 12 * len(several) else 1.15
        ax.text(place * numpy.cos(middle), place * numpy.sin(middle), "\n".join(several) or "none", ha="center",
                va="center", fontsize=8)
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor="#a0a0a0"))
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.3, 1.3), aspect="equal")


def _slip(result: Result, figure: Any, ax: Any) -> None:
    """Constraint lines at rest (dashed) and at their extremes around the curves; what they exclude at rest is shaded."""
    table = result.tables.numpy(text_of(figure.table))
    ax.margins(0.25)
    ax.autoscale_view()
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    if figure.x_range != ffi.NULL:
        left, right = figure.x_range[0], figure.x_range[1]
    if figure.y_range != ffi.NULL:
        low, high = figure.y_range[0], figure.y_range[1]
    x, y = numpy.meshgrid(numpy.linspace(left, right, 401), numpy.linspace(low, high, 401))
    named: set[str] = set()
    for name, n1, n2, rest, extreme in zip(*(table[column] for column in ("constraint", "n1", "n2", "rest", "extreme"))):
        colour, height = _CONSTRAINTS.get(name, "#606060"), n1 * x + n2 * y
        lines = [(extreme, "solid")] if name in named else [(rest, "dashed"), (extreme, "solid")]
        for level, style in lines:
            if height.min() < level < height.max():
                ax.contour(x, y, height, levels=[level], colors=[colour], linestyles=style, linewidths=1.3)
        if name not in named:
            out = height < rest if "+" in name else height > rest
            ax.contourf(x, y, out.astype(float), levels=[0.5, 1.5], colors=["#dfe3e8"], zorder=0)
            ax.plot([], [], color=colour, label=f"$O_{{{name[-1]}}}^{{{name[:-1]}}}$")
        named.add(name)
    ax.set(xlim=(left, right), ylim=(low, high))


def _mesh(result: Result, figure: Any, ax: Any) -> None:
    """The deformed mesh, coloured by a number at the nodes; corners of elements alone."""
    from matplotlib.collections import LineCollection

    nodes, elements = result.tables.numpy("mesh_nodes"), result.tables.numpy("mesh_elements")
    x, y, ux, uy, value = (nodes[name] for name in ("x", "y", "ux", "uy", text_of(figure.value)))
    largest = numpy.hypot(ux, uy).max(initial=0.0)
    scale = (figure.deformation[0] if figure.deformation != ffi.NULL else
             numpy.hypot(numpy.ptp(x), numpy.ptp(y)) / (20 * largest) if largest > 0 else 1.0)
    at = numpy.c_[x + scale * ux, y + scale * uy]
    corners = numpy.array([elements[f"n{i}"] for i in (1, 2, 3, 4)])
    three = elements["shape"] == "triangle6"
    corners[3, three] = corners[2, three]
    cells = corners.T.astype(int) - 1
    triangles = numpy.r_[cells[:, :3], cells[~three][:, [0, 2, 3]]]
    style: dict[str, Any] = {"cmap": "viridis", "shading": "gouraud"}
    if figure.value_range != ffi.NULL:
        style.update(vmin=figure.value_range[0], vmax=figure.value_range[1])
    drawn = ax.tripcolor(at[:, 0], at[:, 1], triangles, numpy.nan_to_num(value), **style)
    if not figure.no_edges:
        ax.add_collection(LineCollection(at[numpy.c_[cells, cells[:, :1]]], colors="#00000060", linewidths=0.3))
    ax.figure.colorbar(drawn, ax=ax, label=text_of(figure.value))
    ax.set_aspect("equal")


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


def _table(result: Result, figure: Any, ax: Any) -> None:
    table = result.tables.numpy(text_of(figure.table))
    shown = [text_of(figure.shown[i]) for i in range(figure.shown_count)] or list(table)[:12]
    columns = [[f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in table[name].tolist()] for name in shown]
    ax.set_axis_off()
    if table.rows:
        ax.table(cellText=list(zip(*columns)), colLabels=shown, loc="center")


_KINDS = {lib.AM_FIGURE_MAP: _map, lib.AM_FIGURE_SECTORS: _sectors, lib.AM_FIGURE_SLIP: _slip,
          lib.AM_FIGURE_MESH: _mesh, lib.AM_FIGURE_TABLE: _table}


def _draw(result: Result, figure: Any, ax: Any) -> Any:
    if figure.kind == lib.AM_FIGURE_PANELS:
        columns = figure.columns or 1
        grid = ax.get_subplotspec().subgridspec(-(-figure.panel_count // columns), columns)
        ax.set_axis_off()
        ax.set_title(text_of(figure.title), pad=20)
        page = ax.figure
        return [_draw(result, figure.panels[i], page.add_subplot(grid[i // columns, i % columns]))
                for i in range(figure.panel_count)]
    for i in range(figure.curve_count):
        _curve(result, figure.curves[i], ax)
    if figure.kind in _KINDS:
        _KINDS[figure.kind](result, figure, ax)
    _finish(figure, ax)
    return ax


def _size(figure: Any) -> tuple[float, float]:
    rows = -(-figure.panel_count // (figure.columns or 1))
    return 6.0, 4.0 if rows < 2 else 2.5 * rows


def draw(result: Result, ax: Any) -> Any:
    figure = result._report.figure
    if figure == ffi.NULL:
        raise Unsupported("the study asks for no figure; say what to draw, as in plot(x='t', y='x'), or give the study one "
                          "(figure={'x': 't', 'y': 'x'})")
    return _draw(result, figure, _page(_size(figure)) if ax is None else ax)


def _page(size: tuple[float, float]) -> Any:
    from matplotlib import pyplot

    return pyplot.figure(figsize=size, layout="constrained").add_subplot()


def _with_unit(table: Table, name: str) -> str:
    return f"{name} [{table.unit(name)}]" if table.unit(name) not in ("", "1", "parameter") else name


def draw_columns(result: Result, ax: Any, x: str | None, y: str | Sequence[str] | None, value: str | None,
                 name: str | None) -> Any:
    """Columns over a column as lines, or one over two as a map."""
    rows = [y] if isinstance(y, str) else list(y or ())
    if x is None or not rows or (value is not None and len(rows) > 1):
        raise InputError("a figure needs columns for x and y; a map one for each, and one for its value")
    wanted = [x, *rows, *([] if value is None else [value])]
    having = [named for named in result.tables if all(column in result.tables.numpy(named) for column in wanted)]
    if name is None and not having:
        raise InputError(f"no table has the columns {', '.join(map(repr, wanted))}; the tables:\n{result.tables!r}")
    table = result.tables.numpy(max(having, key=lambda one: result.tables.numpy(one).rows) if name is None else name)
    ax = _page((6.0, 4.0)) if ax is None else ax
    if value is not None:
        _cells(table, x, rows[0], value, ax)
    else:
        for row in rows:
            ax.plot(table[x], table[row], label=row)
    ax.set(xlabel=_with_unit(table, x), ylabel=_with_unit(table, rows[0]) if len(rows) == 1 else "")
    if len(rows) > 1:
        ax.legend()
    return ax


def as_svg(result: Result) -> str:
    """The figure as SVG for a notebook; "" without matplotlib."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    page = Figure(figsize=_size(result._report.figure), layout="constrained")
    FigureCanvasSVG(page)
    draw(result, page.add_subplot())
    text = io.StringIO()
    page.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg"):]
