"""Values of Python and NumPy as a study holds them: text for what is small, arrays beside it for what is not."""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy
from numpy.typing import NDArray

from ._declarations import ffi
from ._library import lib
from .errors import InputError, check_made


class _Unset:
    """An option that was left out."""

    def __repr__(self) -> str:
        return "<default>"


UNSET: Any = _Unset()

Array = NDArray[numpy.float64]
Numbers = Union[Sequence[float], NDArray[Any], Mapping[str, float]]
Matrix = Union[Sequence[Sequence[float]], NDArray[Any], Mapping[str, Any], Any]


def real(value: Any, what: str, field: str = "") -> Array:
    """An array as the library reads it: doubles, one behind the other. Nothing is lost on the way: complex numbers and
    what is no number at all are refused."""
    try:
        given = numpy.asarray(value)
    except ValueError:  # rows of unequal lengths
        raise InputError(f"{what} is {value!r}, which is no array of numbers", field) from None
    if given.dtype.kind == "c":
        raise InputError(f"{what} holds complex numbers; expected real ones", field)
    if given.dtype.kind not in "fiub":
        raise InputError(f"{what} holds {given.dtype}; expected numbers", field)
    return numpy.ascontiguousarray(given, dtype=float).reshape(given.shape)


def place(array: Array) -> Any:
    """Where its numbers are."""
    return ffi.cast("double *", array.ctypes.data)


def vector(name: str, values: Any, count: int) -> Array:
    """So many numbers."""
    given = real(values, name, name)
    if given.shape != (count,):
        raise InputError(f"{name} must hold {count} numbers; its shape is {given.shape}", name)
    return given


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "tocoo") and hasattr(value, "shape")


class Part:
    """A mapping of a study, with the keys as arguments."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {key.rstrip("_"): value for key, value in given.items() if value is not UNSET}

    def _as_study(self) -> Mapping[str, Any]:
        return self.given

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.given.items())})"


class Arrays:
    """The arrays of a study under way: what its text names as {array: NAME}."""

    def __init__(self) -> None:
        self._kept: list[Any] = []  # what the C structs point to
        self._rows: list[tuple[Any, int, int, Any, Any]] = []

    def name(self, value: Any) -> dict[str, str]:
        """Keeps an array (NumPy's, or a sparse matrix) and gives what the study says in its place."""
        name = f"a{len(self._rows)}"
        text = ffi.new("char[]", name.encode())
        if _is_sparse(value):
            row = (text, 0, 0, ffi.NULL, self._sparse(value))
        else:
            row = (text, *self._dense(value), ffi.NULL)
        self._kept.append((text, row))
        self._rows.append(row)
        return {"array": name}

    def _dense(self, value: NDArray[Any]) -> tuple[int, int, Any]:
        numbers = real(value, "an array")
        if numbers.ndim not in (1, 2) or (numbers.ndim == 2 and 0 in numbers.shape):
            raise InputError(f"an array of shape {numbers.shape} is neither a list of numbers nor a matrix")
        self._kept.append(numbers)
        columns = numbers.shape[1] if numbers.ndim == 2 else 0
        return numbers.shape[0], columns, place(numbers)

    def _sparse(self, value: Any) -> Any:
        entries = value.tocoo()
        if len(entries.shape) != 2:
            raise InputError(f"a sparse array of {len(entries.shape)} dimensions is no matrix")
        data = real(entries.data, "a sparse matrix")
        row, column = (numpy.asarray(places) for places in (entries.row, entries.col))
        if not row.shape == column.shape == data.shape == (data.size,) or {row.dtype.kind, column.dtype.kind} - set("iu"):
            raise InputError("a sparse matrix must have a row and a column, whole numbers, for each of its numbers")
        if min(*entries.shape, row.min(initial=0), column.min(initial=0)) < 0:
            raise InputError("a sparse matrix has a negative place or size")
        row, column = (numpy.ascontiguousarray(places, dtype=numpy.uintp) for places in (row, column))
        err = ffi.new("am_error *")
        made = lib.am_matrix_sparse(
            entries.shape[0], entries.shape[1], len(data), ffi.cast("size_t *", row.ctypes.data),
            ffi.cast("size_t *", column.ctypes.data), place(data), err)
        matrix = ffi.gc(check_made(made, err), lib.am_matrix_free)
        self._kept.append(matrix)
        return matrix

    def __len__(self) -> int:
        return len(self._rows)

    def structs(self) -> Any:
        """The C array; it lives as long as this object."""
        made = ffi.new("am_study_array[]", max(len(self._rows), 1))
        for at, (name, rows, columns, values, matrix) in zip(made, self._rows):
            at.name, at.rows, at.columns, at.values, at.matrix = name, rows, columns, values, matrix
        self._kept.append(made)
        return made


def plain(value: Any, arrays: Arrays) -> Any:
    """A value as JSON knows it; arrays become names."""
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if isinstance(value, float):
        if value - value != 0.0:
            raise InputError(f"the number {value} is not finite")
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): _inside(key, item, arrays) for key, item in value.items() if item is not UNSET}
    if isinstance(value, (list, tuple)):
        return [_inside(i, item, arrays) for i, item in enumerate(value)]
    if hasattr(value, "_as_study"):
        return plain(value._as_study(), arrays)
    if isinstance(value, numpy.ndarray) and value.ndim > 0 and value.dtype.kind not in "OUSb":
        return arrays.name(value)
    if _is_sparse(value):
        return arrays.name(value)
    if isinstance(value, (numpy.generic, numpy.ndarray)) and numpy.ndim(value) == 0:
        return plain(value.item(), arrays)
    if isinstance(value, (Sequence, numpy.ndarray)):
        return [_inside(i, item, arrays) for i, item in enumerate(value)]
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    raise InputError(f"a study cannot hold {value!r} ({type(value).__name__})")


def _inside(key: Any, value: Any, arrays: Arrays) -> Any:
    """What stands at a key, which is part of the field of what is wrong with it."""
    try:
        return plain(value, arrays)
    except InputError as wrong:
        wrong.field = f"{key}.{wrong.field}" if wrong.field else str(key)
        raise


def text_of_value(value: Any, arrays: Arrays, field: str = "") -> str:
    """JSON, which is YAML too. Numbers round-trip."""
    try:
        return json.dumps(plain(value, arrays), ensure_ascii=False, allow_nan=False)
    except InputError as wrong:
        where = ".".join(part for part in (field, wrong.field) if part)
        raise InputError(f"{where}: {wrong.message}" if where else wrong.message, where) from None
