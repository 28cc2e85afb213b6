"""Lists and reads datasets as huggingface_hub does, and prints what it has found as JSON.

The arguments are addresses of datasets, with revisions; HF_ENDPOINT says where they are."""

import hashlib
import json
import sys

from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, parse_hf_uri
from huggingface_hub.errors import (
    EntryNotFoundError, GatedRepoError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError,
)

api = HfApi()
files = HfFileSystem()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def described(address):
    """What three interfaces say of a dataset: the listing, files that are downloaded, and the file system."""
    at = parse_hf_uri(address)
    commit = api.dataset_info(at.id, revision=at.revision).sha
    listed, read = {}, {}
    for entry in api.list_repo_tree(at.id, repo_type="dataset", revision=at.revision, recursive=True):
        if not hasattr(entry, "size"):
            continue
        listed[entry.path] = f"{entry.size} {entry.lfs.sha256 if entry.lfs else entry.blob_id}"
        with open(hf_hub_download(at.id, entry.path, repo_type="dataset", revision=commit), "rb") as f:
            read[entry.path] = sha256(f.read())
    found = {parse_hf_uri("hf://" + path).path_in_repo: path for path in files.find(address)}
    assert found.keys() == read.keys(), found
    for path, whole in found.items():
        with files.open(whole, "rb", block_size=1 << 16) as f:
            assert sha256(f.read()) == read[path], path
    return {"commit": commit, "listed": listed, "read": read, "matched": len(files.glob(address + "/**/*.jsonl"))}


def error(ask):
    try:
        ask()
        return "none"
    except (EntryNotFoundError, GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError, HfHubHTTPError) as e:
        return type(e).__name__


found = {}
for argument in sys.argv[1:]:
    found[argument] = described(argument)
found["errors"] = {
    "no dataset": error(lambda: api.dataset_info("org/none")),
    "no revision": error(lambda: api.dataset_info("org/set", revision="none")),
    "no file": error(lambda: hf_hub_download("org/set", "none", repo_type="dataset")),
    "gated": error(lambda: hf_hub_download("org/gated", "a.jsonl", repo_type="dataset", token=False)),
    "private": error(lambda: api.dataset_info("org/private", token=False)),
}
print(json.dumps(found))
