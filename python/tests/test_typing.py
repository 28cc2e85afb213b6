import pathlib
import subprocess
import sys

import pytest


def test_what_comes_in_comes_out():
    pytest.importorskip("mypy")
    here = pathlib.Path(__file__).parent
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", "--cache-dir", "/dev/null", "typed.py"]
    said = subprocess.run(command, cwd=here, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
