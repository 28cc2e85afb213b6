"""The examples beside the package."""

import asyncio
import importlib.util
import json
import os
import re
import subprocess
import sys

from pages import ROOT, library

EXAMPLES = ROOT / "python" / "examples"


def test_a_data_set_of_the_hub(texts, tmp_path):
    datasets = library("datasets")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.jsonl").write_text(
        "".join(json.dumps({"n": n, "body": text}) + "\n" for n, text in enumerate(texts[:300]))
    )
    said = subprocess.run(
        [sys.executable, EXAMPLES / "hub.py", "set", "--text", "body", "-o", "out"], cwd=tmp_path, check=True, text=True,
        capture_output=True, env={**os.environ, "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"},
    ).stdout  # fmt: skip
    unique = datasets.Dataset.from_parquet(str(tmp_path / "out" / "data.parquet"), cache_dir=str(tmp_path / "cache"))
    assert unique["n"][:4] == [0, 1, 3, 4] and unique.num_rows == 200
    card = (tmp_path / "out" / "card.md").read_text()
    assert card in said and "| removed | 100 (33.3%) |" in card and "| in the largest group | 2 |" in card
    assert "uv run hub.py set --split train --text body --threshold 0.85" in card


def test_the_script_says_what_it_needs():
    """As the standard for inline metadata wants it."""
    block = re.search(r"(?m)^# /// script\n((?:# .*\n)+)# ///$", (EXAMPLES / "hub.py").read_text())
    assert block and '# dependencies = ["datasets", "mithril-stream"]' in block[1].splitlines()
    assert '# requires-python = ">=3.10"' in block[1].splitlines()


def test_chunks_of_a_retriever():
    documents, retrievers = library("langchain_core.documents"), library("langchain_core.retrievers")
    spec = importlib.util.spec_from_file_location("langchain_chunks", EXAMPLES / "langchain_chunks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bread = "Knead the dough for ten minutes and let it rest in a warm place until it has doubled in size."
    river = "The river rises in the hills above the village and floods the lower meadows every spring."
    contents = [bread, river, bread.upper(), river.replace("every", "each"), "Something else that is short."]
    chunks = [documents.Document(page_content=c, metadata={"source": f"s{i}"}) for i, c in enumerate(contents)]

    class Retriever(retrievers.BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return chunks

    once = module.OnceEach()
    chain = Retriever() | once.transform_documents
    want = [{"source": "s0", "also_in": ["s2"]}, {"source": "s1", "also_in": ["s3"]}, {"source": "s4"}]
    assert [d.metadata for d in chain.invoke("how to bake")] == want
    assert [d.metadata for d in asyncio.run(once.atransform_documents(chunks))] == want
    assert [d.metadata for d in chunks] == [{"source": f"s{i}"} for i in range(5)]  # they are as they were
    assert once.transform_documents([]) == []
    assert len(once.transform_documents([documents.Document(page_content="a b c")] * 3)) == 1
