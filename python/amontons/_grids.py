"""Tables as xarray Datasets."""
from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

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


def _together(table: Table, axes: list[str]) -> list[list[str]]:
    """Axes that vary together, each value of one with one value of the other, are one dimension: drawn ones."""
    groups: list[list[str]] = []
    for axis in axes:
        values = numpy.unique(table[axis], return_inverse=True)
        for group in groups:
            other, place = numpy.unique(table[group[0]], return_inverse=True)
            pairs = len(numpy.unique(place * len(values[0]) + values[1]))
            if len(other) == len(values[0]) == pairs > 1:
                group.append(axis)
                break
        else:
            groups.append([axis])
    return groups


def _grid(table: Table, axes: list[str]) -> Any:
    """A Dataset over the axes; None where the points form no grid (drawn ones alone, or refined)."""
    import xarray

    groups = _together(table, axes)
    if len(groups) == 1 and len(axes) > 1:
        return None
    values = [_order(table[group[0]], len(group) > 1) for group in groups]
    shape = tuple(int(inverse.max()) + 1 for inverse in values)
    if int(numpy.prod(shape)) != table.rows:
        return None
    place = numpy.ravel_multi_index(tuple(values), shape)
    if len(numpy.unique(place)) != table.rows:
        return None
    dimensions = [_short(group[0]) if len(group) == 1 else "sample" for group in groups]
    data = {}
    for name in table:
        if name in axes:
            continue
        column = table.typed(name)
        gridded = numpy.empty(table.rows, dtype=column.dtype)
        gridded[place] = column
        data[name] = (dimensions, gridded.reshape(shape), _attributes(table, name))
    coordinates = {}
    for dimension, group, inverse in zip(dimensions, groups, values):
        first = numpy.unique(inverse, return_index=True)[1]
        coordinates.update({_short(axis): (dimension, table[axis][first], _attributes(table, axis)) for axis in group})
    return xarray.Dataset(data, coords=coordinates)


def _order(values: NDArray[Any], drawn: bool) -> NDArray[Any]:
    """Of each value its place among the different ones: by size, or as they were drawn."""
    _, first, inverse = numpy.unique(values, return_index=True, return_inverse=True)
    return numpy.argsort(numpy.argsort(first))[inverse] if drawn else inverse


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


