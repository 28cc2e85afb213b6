"""Options of the program on a cluster: each is honoured, or refused by name. No engine is needed for that."""

import datetime
import re
import subprocess

import pytest
from pages import library

from mithril_stream import _judge
from mithril_stream._judge import Judge
from mithril_stream._keys import day_of, rule_of
from mithril_stream._options import REFUSED, TAKEN
from mithril_stream._program import find_program
from mithril_stream._texts import block_of

TEXTS = ["Ein <b>kurzer</b> Text, ÜBER 3 Äpfel and some-more words in it", "a b c d e f g", "x" * 2000]
# A value of each option that is taken, other than the default; and what it needs beside it.
VALUES = {
    "--markup": ["html"],
    "--normalize": ["nfc"],
    "--tokenize": ["char"],
    "--shingle-size": ["3"],
    "--tune": ["recall"],
    "--recall": ["0.99", "--tune", "recall"],
    "--profile": ["templates"],
    "--num-perm": ["64"],
    "--bands": ["9", "--rows", "5"],
    "--rows": ["5", "--bands", "9"],
    "--votes": ["1"],
    "--sketch": ["datasketch"],
    "--band-key": ["sum"],
    "--seed": ["2"],
    "--max-record": ["1000"],
}


def flags():
    page = subprocess.run([find_program(), "man", "judge"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^\.B .*?(--[a-z-]+)", page.replace("\\-", "-"), re.MULTILINE))


def test_all_options_of_the_program_are_honoured_or_refused():
    assert flags() == TAKEN | set(REFUSED) and not TAKEN & set(REFUSED) and TAKEN == set(VALUES)


def keys(rule):
    judge = Judge(rule.args)
    try:
        return rule[1:], judge.ask(_judge.KEYS, block_of(TEXTS))
    finally:
        judge.close()


@pytest.mark.parametrize("option", sorted(VALUES))
def test_what_is_taken_changes_the_keys_or_the_rule(option):
    default = keys(rule_of(None, None, VALUES[option][1:] if option == "--recall" else []))
    assert keys(rule_of(None, None, [option, *VALUES[option]])) != default


@pytest.mark.parametrize("option", sorted(REFUSED))
def test_what_is_refused_is_named(option):
    for options in ([option, "1"], [f"{option}=1"], ["--votes", "1", option]):
        with pytest.raises(ValueError, match=f"^options has {option}, which has no meaning on a cluster: "):
            rule_of(None, None, options)


def test_other_options_and_values():
    for options, want in [
        (["--memory-limit", "1GiB"], "options has --memory-limit"),  # another name of an option
        (["-x"], "options has -x"),
        (["--sketch", "fracminhash"], "--sketch fracminhash, which has no bands"),
        (["--sketch=simhash"], "--sketch simhash, which has no bands"),
        (["--votes", "0"], "votes"),
    ]:
        with pytest.raises(ValueError, match=want):
            rule_of(None, None, options)
    with pytest.raises(TypeError, match="options is one string"):
        rule_of(None, None, "--votes 1")
    with pytest.raises(ValueError, match="threshold must be between 0 and 1, got 7"):
        rule_of(7, None, [])


@pytest.mark.parametrize("engine", ["spark", "ray"])
def test_both_engines_have_the_list(engine):
    library({"spark": "pyspark", "ray": "ray"}[engine])
    import importlib
    import inspect

    module = importlib.import_module(f"mithril_stream.{engine}")
    for function in (module.deduplicate, module.groups, module.sketch):
        assert {"options", "within"} <= set(inspect.signature(function).parameters)
        assert ("memory" in inspect.signature(function).parameters) == (function is not module.sketch)
    assert "rule_of(threshold, preset, options, within, memory)" in "".join(
        inspect.getsource(m) for m in (module, importlib.import_module(f"mithril_stream.{engine}._sketch"))
    )


def test_a_day_is_a_name_or_a_date():
    assert day_of("days", datetime.date(2026, 11, 28)) == day_of("days", "2026-11-28") == "2026-11-28"
    assert day_of(None, None) is None
    for day in (5, "", "a/b", datetime.datetime(2026, 11, 28, 1)):
        with pytest.raises(ValueError, match="no name of a day"):
            day_of("days", day)
    with pytest.raises(ValueError, match="go together"):
        day_of(None, "2026-11-28")
