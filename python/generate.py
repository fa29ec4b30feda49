#!/usr/bin/env python3
"""Writes what follows from the C library: amontons/_declarations.py from its public headers, amontons/_analyses.py and
amontons/_parts.py from its own tables of options and keys. `--check` only compares, and fails where they differ.

    python3 python/generate.py [--check] [--library build/release/libamontons.so]
"""
import argparse
import json
import keyword
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PACKAGE = HERE / "amontons"

# What the C preprocessor would bring in from the system, and cffi knows by itself.
SYSTEM_HEADERS = ("stdbool.h", "stddef.h", "stdint.h")


def declarations() -> str:
    """The public headers as cffi reads them: no preprocessor, no attributes."""
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM_HEADERS:
            pathlib.Path(folder, name).write_text("")
        text = subprocess.run(
            [os.environ.get("CC", "gcc"), "-E", "-P", "-nostdinc", "-undef", "-I", folder, "-I", str(ROOT / "include"),
             str(ROOT / "include/amontons/amontons.h")],
            check=True, capture_output=True, text=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    return re.sub(r"\n\s*;", ";", text)


def module(text: str) -> str:
    """The Python module that cffi makes of declarations: types are ready when it is imported."""
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(text)
    ffi.set_source("amontons._declarations", None)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "_declarations.py")
        ffi.emit_python_code(str(path))
        return path.read_text()


PYTHON_TYPES = {"number": "float", "count": "int", "flag": "bool", "text": "str", "word": "str",
                "numbers": "Numbers", "words": "str | Sequence[str]", "texts": "Sequence[str]", "matrix": "Matrix",
                "mapping": "Mapping[str, Any]", "list": "Sequence[Any]", "named": "Mapping[str, Any]", "any": "Any"}

HEAD = '''"""One method per analysis, with the names of its options. Made by python/generate.py from the library's own tables."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._values import UNSET, Matrix, Numbers

if TYPE_CHECKING:
    from .result import Result


class Analyses:
    """What can be asked of a structure. Options that are left out have the defaults that their lines say."""

    def _ask(self, kind: str, options: dict[str, Any]) -> Result:
        raise NotImplementedError
'''


def wrapped(text: str, indent: str, hanging: str = "    ") -> list[str]:
    import textwrap

    return textwrap.wrap(text, 119, initial_indent=indent, subsequent_indent=indent + hanging)


def name_of(row: dict) -> str:
    """An argument for an option: `from_` for `from`."""
    return row["name"] + "_" * keyword.iskeyword(row["name"])


def argument(row: dict) -> str:
    kind = PYTHON_TYPES[row["type"]]
    if row["type"] == "text" and row.get("default") == "auto":
        kind = "int | str"
    if "rows" in row and kind not in ("Any", "Mapping[str, Any]"):
        kind += " | Mapping[str, Any]"
    if row.get("topic") in ("function", "constant", "ramp"):  # a number is short for them
        kind = "float | " + kind
    return f"        {name_of(row)}: {kind} = UNSET,\n"


def arguments(name: str, rows: list[dict]) -> str:
    return f"    def {name}(\n        self,\n        *,\n" + "".join(map(argument, rows)) + "        **more: Any,\n"


def collected(rows: list[dict]) -> str:
    return ("        options = {\n" + "".join(f'            "{row["name"]}": {name_of(row)},\n' for row in rows)
            + "        }\n")


def option(row: dict) -> list[str]:
    words = f" ({', '.join(row['words'])})" if "words" in row else ""
    unit = f" [{row['unit']}]" if "unit" in row else ""
    default = "; required" if row.get("required") else f"; default {row['default']}" if "default" in row else ""
    return wrapped(f"{name_of(row)}{unit}: {row['about']}{words}{default}", "        ")


def told(schema: dict, rows: list[dict], indent: str) -> str:
    """The docstring: what the library says of it, and of its rows with units and defaults."""
    about = wrapped(schema["about"], indent, "")
    about[0] = indent + '"""' + about[0].strip()
    lines = [line[len("        ") - len(indent):] for row in rows for line in option(row)] if rows else []
    return "\n".join(about) + "\n" + ("\n" + "\n".join(lines) + "\n" if lines else "") + indent + '"""\n'


def known(schema: dict) -> list[dict]:
    return [row for row in schema["rows"] if row["name"].isidentifier()]


def method(schema: dict) -> str:
    rows = known(schema)
    text = arguments(schema["name"], rows) + "    ) -> Result:\n" + told(schema, rows, "        ") + collected(rows)
    return text + f'        return self._ask("{schema["name"]}", {{**options, **more}})\n'


PARTS = '''"""Contacts and loads, with the names of their keys. Made by python/generate.py from the library's own tables."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._values import UNSET, Numbers, Part
'''


def part(schema: dict) -> str:
    rows = known(schema)
    text = f"\n\nclass {schema['name'].capitalize()}(Part):\n" + told(schema, rows, "    ") + "\n"
    return (text + arguments("__init__", rows) + "    ) -> None:\n" + collected(rows)
            + "        super().__init__({**options, **more})\n")


def description(text: str, library: str) -> dict:
    """What the library says of itself; asked without the package, which needs what is made here."""
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(text)
    return json.loads(ffi.string(ffi.dlopen(library).am_study_description(ffi.NULL)))


def analyses(schemas: list[dict]) -> str:
    study = next(schema for schema in schemas if schema["name"] == "study")
    others = [row["name"] for row in known(study) if row["name"] not in ("model", "analysis")]
    keys = "\n".join(wrapped(f'STUDY_KEYS = ({", ".join(map(json.dumps, others))})', "", " " * len("STUDY_KEYS = (")))
    return HEAD.replace("\n\nclass Analyses", f"\n# What a study may say beside its model and its question.\n{keys}\n\n\nclass Analyses") + "".join("\n" + method(schema) for schema in schemas if schema["kind"] == "analysis")


def parts(schemas: list[dict]) -> str:
    return PARTS + "".join(part(schema) for schema in schemas if schema["name"] in ("contact", "load"))


def settle(path: pathlib.Path, text: str, check: bool) -> bool:
    """Writes a file, or says whether it is what it should be."""
    if not check:
        path.write_text(text)
        return True
    same = path.exists() and path.read_text() == text
    if not same:
        print(f"{path.relative_to(ROOT)} is not what the library says: run python3 python/generate.py", file=sys.stderr)
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--library", default=str(ROOT / "build/release/libamontons.so"), help="of this build")
    options = parser.parse_args()
    text = declarations()
    schemas = description(text, options.library)["schemas"]
    made = {"_declarations.py": module(text), "_analyses.py": analyses(schemas), "_parts.py": parts(schemas)}
    return 0 if all([settle(PACKAGE / name, content, options.check) for name, content in made.items()]) else 1


if __name__ == "__main__":
    sys.exit(main())
