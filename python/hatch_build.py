"""Builds the program for the wheel. It is static, so a wheel needs no compiler but Go, for any system."""

import os
import subprocess
import sys
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
}


class ProgramHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            return
        target = os.environ.get("MITHRIL_WHEEL") or this_machine()
        if target not in TAGS:
            raise SystemExit(f"there is no wheel for {target}: set MITHRIL_WHEEL to one of {', '.join(TAGS)}")
        goos, goarch = target.split("/")
        program = os.path.join(self.root, "build", goos + "-" + goarch, "mithril-stream")
        try:
            subprocess.run(
                ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "."],
                cwd=os.path.dirname(self.root),
                env={**os.environ, "GOOS": goos, "GOARCH": goarch, "CGO_ENABLED": "0"},
                check=True,
            )
        except FileNotFoundError:
            raise SystemExit(f"mithril-stream is built by {needed_go(self.root)}: install it from https://go.dev/dl, or install "
                             "a wheel, which needs nothing") from None
        except subprocess.CalledProcessError:
            raise SystemExit(f"go could not build mithril-stream, as it says above: this needs {needed_go(self.root)}") from None
        # in the package, since the metadata of packages take longer to read than all of it
        named = os.path.join(self.root, "build", "_version.py")
        with open(named, "w") as file:
            file.write(f"__version__ = {self.metadata.version!r}\n")
        build_data["force_include"][named] = "mithril_stream/_version.py"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + TAGS[target]
        build_data["shared_scripts"] = {program: "mithril-stream"}
        for name in ("LICENSE", "NOTICE"):
            build_data["force_include"][os.path.join(os.path.dirname(self.root), name)] = "mithril_stream/" + name


def needed_go(root):
    """Return what builds the program: the sources are those of a clone, beside this folder."""
    with open(os.path.join(os.path.dirname(root), "go.mod")) as module:
        version = next(line.split()[1] for line in module if line.startswith("go "))
    return "Go " + ".".join(version.split(".")[:2]) + " or newer"


def this_machine():
    machine = sysconfig.get_platform().rpartition("-")[2]
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
    return f"{sys.platform}/{arch}"
