"""`pip install ./python`: no pyproject.toml, so that pip takes the setuptools that is there and needs no network."""
import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py

BUILT = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "libamontons.so"


class Noted(build_py):
    """What is installed from a build tree knows where the library of that tree is."""

    def run(self):
        super().run()
        if BUILT.exists():
            pathlib.Path(self.build_lib, "amontons", "library.txt").write_text(str(BUILT), encoding="utf-8")


setup(
    cmdclass={"build_py": Noted},
    name="amontons",
    version="0.1.0",
    description="Structures with dry friction: exact motions, orbits, stability, responses",
    long_description=open("README.md", encoding="utf-8").read(),
    long_description_content_type="text/markdown",
    license="BSD-3-Clause",
    packages=["amontons"],
    package_data={"amontons": ["py.typed", "*.so*", "licences/*"]},
    python_requires=">=3.9",
    install_requires=["cffi>=1.15", "numpy"],
    extras_require={"all": ["pandas", "xarray", "matplotlib", "scipy"]},
)
