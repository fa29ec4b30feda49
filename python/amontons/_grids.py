"""Tables as xarray Datasets."""
from __future__ import annotations

from typing import Any

import numpy

from .result import Result, Table


def _attributes(table: Table, name: str) -> dict[str, str]:
    given = {"units": table.unit(name), "long_name": table.about(name)}
    return {key: value for key, value in given.items() if value and value != "parameter"}


def _axes(table: Table) -> list[str]:
    """The numbers that a sweep varies: the columns in front that are parameters."""
    return [name for name in table if table.unit(name) == "parameter"]


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
    """A Dataset with one dimension, named after the table; its first column is a coordinate where it is a number."""
    import xarray

    made = xarray.Dataset({name: (table.name, table.typed(name), _attributes(table, name)) for name in table})
    lead = [name for name in _axes(table) or [name for name in ("t", "time") if name in table]]
    return made.set_coords(lead)


def dataset(result: Result, name: str | None) -> Any:
    if name is None:
        names = list(result.tables)
        if not names:
            raise KeyError("the result has no tables")
        name = "sweep" if "sweep" in names else names[0]
    table = result.tables.numpy(name)
    axes = _axes(table) if name == "sweep" else []
    made = (_grid(table, axes) if axes else None)
    made = _rows(table) if made is None else made
    made.attrs.update(title=result.title, analysis=result.analysis)
    return made


