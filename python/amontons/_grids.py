"""Tables as xarray Datasets."""
from __future__ import annotations

from typing import Any

import numpy

from .errors import Unsupported
from .result import Result, Table


def _attributes(table: Table, name: str) -> dict[str, str]:
    given = {"units": table.unit(name), "long_name": table.about(name)}
    return {key: value for key, value in given.items() if value and value != "parameter"}


def _parameters(table: Table) -> list[str]:
    """The numbers that a sweep varies, or along which a branch was followed."""
    return [name for name in table if table.unit(name) == "parameter"]


def _axes(table: Table) -> list[str]:
    """The columns in front whose values form a grid: the axes of a sweep, the coordinates of starts on a map."""
    if table.name == "sweep":
        return _parameters(table)
    axes, points = [], 1
    for name in table:
        count = len(numpy.unique(table[name])) if table.kind(name) in ("number", "count") else 0
        if count < 2:
            break
        axes.append(name)
        points *= count
        if points >= table.rows:
            break
    return axes if points == table.rows and len(axes) > 1 else []


def _grid(table: Table, axes: list[str]) -> Any:
    """A Dataset over the axes; None where the points form no grid (drawn, or refined)."""
    import xarray

    values = [numpy.unique(table[axis], return_inverse=True) for axis in axes]
    shape = tuple(len(unique) for unique, _ in values)
    if int(numpy.prod(shape)) != table.rows:
        return None
    place = numpy.ravel_multi_index(tuple(inverse for _, inverse in values), shape)
    if len(numpy.unique(place)) != table.rows:
        return None
    dimensions = [_short(axis) for axis in axes]
    data = {}
    for name in table:
        if name in axes:
            continue
        column = table.typed(name)
        gridded = numpy.empty(table.rows, dtype=column.dtype)
        gridded[place] = column
        data[name] = (dimensions, gridded.reshape(shape), _attributes(table, name))
    coordinates = {short: (short, unique, _attributes(table, axis))
                   for short, axis, (unique, _) in zip(dimensions, axes, values)}
    return xarray.Dataset(data, coords=coordinates)


def _short(axis: str) -> str:
    return axis[len("model."):] if axis.startswith("model.") else axis


def _rows(table: Table) -> Any:
    """A Dataset with one dimension: time where it rises, otherwise one named after the table, with the parameters as
    coordinates."""
    import xarray

    rising = "t" in table and table.rows > 0 and bool((numpy.diff(table["t"]) > 0).all())
    row = "t" if rising else "row" if table.name in table else table.name
    made = xarray.Dataset({name: (row, table.typed(name), _attributes(table, name)) for name in table})
    return made.set_coords(_parameters(table) + ["t"] * ("t" in table))


def dataset(result: Result, name: str | None) -> Any:
    if name is None:
        names = list(result.tables)
        if not names:
            raise Unsupported("the result has no tables")
        name = "sweep" if "sweep" in names else max(names, key=lambda one: result.tables.numpy(one).rows)
    table = result.tables.numpy(name)
    axes = _axes(table)
    made = (_grid(table, axes) if axes else None)
    made = _rows(table) if made is None else made
    made.attrs.update(title=result.title, analysis=result.analysis)
    return made


