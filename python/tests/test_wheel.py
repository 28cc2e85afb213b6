"""The wheel, installed where there is no Go, as uvx and pip install it."""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import venv

import pytest

from pages import ROOT


def wheel():
    """Return the wheel of this system that make wheels, or MITHRIL_TEST_WHEEL, has. Without one the test is skipped,
    but not in CI."""
    given = os.environ.get("MITHRIL_TEST_WHEEL")
    found = [pathlib.Path(given)] if given else list((ROOT / "python" / "dist").glob(f"*manylinux*{platform.machine()}.whl"))
    if not found and not os.environ.get("CI"):
        pytest.skip("there is no wheel: make wheels")
    return found[0]


def test_the_wheel_runs_where_there_is_no_go(tmp_path):
    made = tmp_path / "venv"
    venv.create(made, with_pip=False)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", made / "bin" / "python", "install", "--quiet", "--no-index", wheel()], check=True
    )
    env = {"PATH": f"{made}/bin", "HOME": str(tmp_path)}
    assert shutil.which("go", path=env["PATH"]) is None

    def said(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=tmp_path).stdout

    # uvx mithril-stream runs the command that has the name of the package
    version = said(made / "bin" / "mithril-stream", "--version")
    assert version.startswith("mithril-stream ")
    assert said(made / "bin" / "python", "-m", "mithril_stream", "--version") == version
    (tmp_path / "in.jsonl").write_text('{"text":"a b c d e f"}\n' * 2)
    said(made / "bin" / "python", "-m", "mithril_stream", "in.jsonl", "-q", "-o", "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == '{"text":"a b c d e f"}\n'
    code = "import mithril_stream.dedup as d; print(d.deduplicate(['a b', 'A b.']))"
    assert said(made / "bin" / "python", "-c", code) == "['a b']\n"
