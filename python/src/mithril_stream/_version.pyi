"""hatch_build.py writes this module into the wheel."""

__version__: str
