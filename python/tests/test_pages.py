"""What the documents show runs, and says what they say."""

import json

from pages import examples, library, run


def test_the_page_of_the_module_runs(texts, tmp_path, monkeypatch):
    pandas, datasets = library("pandas"), library("datasets")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
    docs = [{"text": t} for t in texts[:100]]
    names = {"df": pandas.DataFrame({"text": texts}), "texts": texts, "docs": docs, "stream": iter(docs),
             "dataset": datasets.Dataset.from_list(docs)}  # fmt: skip
    blocks = examples("docs/reference/python.md")
    assert len(blocks) >= 4
    for block in blocks:
        run(block, names)
    assert len(names["new"]) == len(names["unique"].head(67))  # those of the stream were seen
    assert names["kept"].num_rows == 67
    assert names["result"].duplicate_ratio > 1 / 3
    assert len((tmp_path / "unique.jsonl").read_text().splitlines()) == len(names["result"].keep)
    names["d"].close()


def test_the_readme_runs(texts):
    pandas = library("pandas")
    names = {"df": pandas.DataFrame({"text": texts})}
    run(examples("python/README.md")[0], names)
    assert 1300 < len(names["unique"]) < 1400
