"""`pip install ./python`: no pyproject.toml, so that pip takes the setuptools that is there and needs no network."""
from setuptools import setup

setup(
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
