"""What the documents show runs, and says what they say."""

import inspect
import json
import re
import shlex

from mithril_stream import dedup
from pages import ROOT, examples, library, run
from server import listening


def test_the_page_of_the_module_runs(texts, tmp_path, monkeypatch):
    pandas, datasets = library("pandas"), library("datasets")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
    docs, stored = [{"text": t} for t in texts[:100]], []
    names = {"df": pandas.DataFrame({"text": texts}), "texts": texts, "docs": docs, "stream": iter(docs),
             "dataset": datasets.Dataset.from_list(docs), "store": stored.append}  # fmt: skip
    blocks = examples("docs/reference/python.md")
    assert len(blocks) >= 4
    for block in blocks:
        run(block, names)
    assert stored[0].equals(names["unique"])  # those of the first day
    assert stored[1:] == [names["new"]]
    assert len(names["new"]) == len(names["unique"].head(67))  # those of the stream were seen
    assert names["kept"].num_rows == 67
    assert names["result"].duplicate_ratio > 1 / 3
    assert len((tmp_path / "unique.jsonl").read_text().splitlines()) == len(names["result"].keep)
    names["d"].close()


def test_crawlers_share_an_index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/recipes/web.md").read_text()
    command = re.search(r"^    (mithril-stream judge .*--listen .*)$", page, re.MULTILINE)
    block = next(b for b in examples("docs/recipes/web.md") if "Client" in b)
    stored = []
    pages = [
        {"url": f"https://example.org/{i}", "text": f"page {i % 7} of the site has {i % 7} words"} for i in range(20)
    ]
    with listening(*shlex.split(command[1])[2:]):
        for crawler in range(3):
            run(block, {"dedup": dedup, "pages": pages[crawler * 5 :], "store": stored.append})
    assert [page["text"] for page in stored] == [page["text"] for page in pages[:7]]
    with dedup.Deduplicator.load("seen") as d:
        assert len(d) == 7 and d.is_duplicate(pages[9]).duplicate_of == "https://example.org/2"


def test_the_readme_runs(texts):
    pandas = library("pandas")
    names = {"df": pandas.DataFrame({"text": texts})}
    run(examples("python/README.md")[0], names)
    assert 1300 < len(names["unique"]) < 1400


def test_the_table_of_arguments_says_which_function_takes_what():
    page = (ROOT / "docs/reference/python.md").read_text().split("| argument | taken by |")[1].split("\n\n")[0]
    functions = {"deduplicate": dedup.deduplicate, "duplicates": dedup.duplicates, "Deduplicator": dedup.Deduplicator}
    listed = {name: set() for name in functions}
    for row in page.splitlines()[2:]:
        arguments, takers, *_ = row.strip("| ").split(" | ")
        for name in functions if takers == "all" else re.findall("`(.*?)`", takers):
            listed[name].update(re.findall("`(.*?)`", arguments))
    for name, function in functions.items():
        taken = set(inspect.signature(function).parameters) - {"data"}
        if name == "Deduplicator":  # with its methods
            taken.update(inspect.signature(function.deduplicate).parameters)
            taken -= {"self", "docs"}
        assert listed[name] == taken, name
