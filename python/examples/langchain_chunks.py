"""A document transformer of LangChain that removes chunks which say the same as one before.

    chain = retriever | OnceEach().transform_documents

Retrievers find a passage once for each page that quotes it. The best of these chunks stays, which leaves the prompt
space for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

import mithril_stream.dedup as dedup


class OnceEach(BaseDocumentTransformer):
    """Keeps the first of similar documents, in their order, and adds the sources of the others to its metadata.

    threshold: the Jaccard similarity of their sets of words from which on documents are similar.
    source: the member of metadata that names a source; also_in has those of the documents that were removed.
    """

    def __init__(self, threshold: float = 0.8, source: str = "source") -> None:
        self.threshold, self.source = threshold, source

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        texts = [document.page_content for document in documents]
        kept: dict[int, Document] = {}  # by their positions
        first: list[int] = []  # for each document the one that stays
        found = dedup.duplicates(texts, preset="passages", threshold=self.threshold)
        for i, (document, answer) in enumerate(zip(documents, found, strict=True)):
            if not answer["is_duplicate"]:
                first.append(i)
                kept[i] = document.model_copy(update={"metadata": dict(document.metadata)})
                continue
            first.append(first[answer["duplicate_of"]])
            if self.source in document.metadata:
                metadata = kept[first[i]].metadata
                metadata["also_in"] = [*metadata.get("also_in", []), document.metadata[self.source]]
        return list(kept.values())
