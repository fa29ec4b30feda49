#!/usr/bin/env python3
"""Makes a wheel that carries the C library and what it is linked with, so that `pip install` needs neither a compiler nor
other packages than cffi and NumPy (`./bootstrap wheel`).

    python3 python/make_wheel.py build/release/libamontons.so build/wheel

The libraries beside it get the run path $ORIGIN: they find each other, wherever they are installed. The C library of the
system and what comes with its loader and compiler (libgcc_s, libstdc++) stay the system's: the wheel names the version
of the former, and pip refuses it where that is older. What the packages of the others say of their licences comes along.
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OF_THE_SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s|libstdc\+\+)\.so")


def linked_with(library: pathlib.Path) -> list[pathlib.Path]:
    """All libraries that the loader would bring in, but for those of the system."""
    lines = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True).stdout.splitlines()
    found = []
    for line in lines:
        parts = re.match(r"\s*(\S+) => (\S+) \(", line)
        if "not found" in line:
            sys.exit(f"make_wheel: {line.strip()}")
        if parts and not OF_THE_SYSTEM.match(parts[1]):
            found.append(pathlib.Path(parts[2]).parent / parts[1] if "/" not in parts[1] else pathlib.Path(parts[2]))
    return found


def licence_of(library: pathlib.Path) -> pathlib.Path:
    """What Debian's package of a library says of who may do what with it."""
    owner = subprocess.run(["dpkg", "-S", str(library.resolve()), str(library)], capture_output=True, text=True).stdout
    text = pathlib.Path("/usr/share/doc", owner.split(":")[0], "copyright")
    if not owner or not text.exists():
        sys.exit(f"make_wheel: no package says what the licence of {library} is")
    return text


def carry(library: pathlib.Path, package: pathlib.Path) -> None:
    """The library and its company with their licences, into the package."""
    shutil.copy(library.resolve(), package / "libamontons.so")
    (package / "licences").mkdir()
    for other in linked_with(library):
        shutil.copy(other.resolve(), package / other.name)
        shutil.copy(licence_of(other), package / "licences" / f"{other.name.split('.so')[0]}.txt")
    for copy in package.glob("*.so*"):
        copy.chmod(0o644)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", str(copy)], check=True)


def platform_tag() -> str:
    """Systems whose C library is as new as this one's (PEP 600)."""
    major, minor = platform.libc_ver()[1].split(".")[:2]
    return f"manylinux_{major}_{minor}_{platform.machine()}"


def main() -> int:
    library, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    stage = out / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(HERE, stage, ignore=shutil.ignore_patterns("__pycache__", "*.so*", "build", "*.egg-info"))
    carry(library, stage / "amontons")
    shutil.copy(HERE.parent / "LICENSE", stage / "LICENSE")
    subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel", "--python-tag", "py3", "--plat-name",
                    platform_tag(), "--dist-dir", str(out)], cwd=stage, check=True)
    shutil.rmtree(stage)
    for wheel in sorted(out.glob("*.whl")):
        print(f"the wheel is {wheel} ({wheel.stat().st_size / 1e6:.0f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
