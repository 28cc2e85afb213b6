"""What building the package says if it cannot."""

import importlib.util
import sys
import types

import pytest

from pages import ROOT


@pytest.fixture
def hook(monkeypatch):
    """The hook that builds the program, without hatchling."""
    interface = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object
    for name in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "python" / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.ProgramHook()
    made.root, made.target_name = str(ROOT / "python"), "wheel"
    return made


def test_without_go_it_says_what_it_needs(hook, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MITHRIL_WHEEL", "linux/amd64")
    with pytest.raises(SystemExit, match=r"built by Go 1\.\d+ or newer: install it from https://go.dev/dl, or install a wheel"):
        hook.initialize("0", {})


def test_with_a_go_that_fails_it_says_what_it_needs(hook, monkeypatch, tmp_path):
    (tmp_path / "go").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setenv("MITHRIL_WHEEL", "linux/amd64")
    with pytest.raises(SystemExit, match=r"go could not build .* this needs Go 1\.\d+ or newer"):
        hook.initialize("0", {})
