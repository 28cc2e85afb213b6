"""The examples of the documents, and packages that tests need."""

import doctest
import importlib
import os
import pathlib
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
SHELL = ("pip ", "sh ", "mithril-stream ", "spark-submit ")


def examples(page):
    """Return the indented blocks of a page that are Python."""
    blocks, block = [], []
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines() + ["end"]:
        if line.startswith("    ") or (block and not line.strip()):
            block.append(line)
        elif block:
            blocks.append(textwrap.dedent("\n".join(block)).strip())
            block = []
    return [b for b in blocks if not b.startswith(SHELL)]


def run(example, names):
    """Run an example among names that are known, and compare what it prints, if it is a conversation."""
    if not example.startswith(">>>"):
        exec(compile(example, "example", "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(example + "\n", names, "example", None, 0)
    failures = []
    doctest.DocTestRunner(verbose=False).run(test, out=failures.append, clear_globs=False)
    names.update(test.globs)
    assert not failures, "".join(failures)


def library(name):
    """Return a package. Without it tests are skipped, but not in CI."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)
