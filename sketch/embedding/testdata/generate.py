"""Makes the two small models of the tests and the vectors that they must give.

The tokens are those of Hugging Face tokenizers, the vectors are computed with numpy:

    pip install numpy==2.4.6 tokenizers==0.23.3 safetensors==0.8.0
    python generate.py

wordpiece/ is a model in the manner of BERT, with weights and a mapping: words of the same row of
GROUPS share a vector. bpe/ is one in the manner of Llama, of 16-bit floats.
"""

import json
import pathlib

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
DIMS = 24

GROUPS = """
a an the this that
and or but with
cat kitten feline
sat rested lay
on upon above
mat rug carpet
bank lender
raised increased lifted
its their our
rate rates
interest
company firm business
bought acquired purchased
shares stock stocks
price cost
profit earnings
fell dropped declined
rose climbed grew
sharply strongly
today yesterday tomorrow
in at of to by for from
two three four five
million billion thousand
dollars pounds euros
quick fast rapid
brown red
fox
jumps leaps
over across
lazy idle
dog hound
new fresh
report statement
said told announced
year month week
un ##s ##ed ##ing ##ly ##er ##able ##happi ##ness
"""

TEXTS = [
    "The cat sat on the mat.",
    "A kitten rested upon the rug!",
    "The bank raised its interest rates today",
    "the LENDER increased their interest rate yesterday",
    "The company bought 3 million shares at $12.50.",
    "Unhappiness; catlike dogs jumped... over (lazy) foxes",
    "résumé Ünïcödé naïve façade İstanbul Straße ẞ",
    "东京は2020年 北京 中文字符",
    "mixed 東京 and English\ttabs\nand\r\nlines",
    "zero\u200bwidth soft\u00adhyphen \u0000nul \ufffd replacement \u007f delete",
    "combining e\u0301 a\u0308\u0323 and \u1e69 \u0344",
    "emoji 😀 family 👨\u200d👩\u200d👧 flags 🇩🇪",
    "a" * 99 + " " + "b" * 100 + " " + "c" * 101 + " cat",
    "[CLS] the cat [SEP] [UNK] [MASK] <s> the dog </s> <unk>",
    "   leading and trailing   spaces  ",
    "nbsp\u00a0em\u2003space ideographic\u3000space\u2028line",
    "punctuation «quoted» – dash … ¿qué? ‚low‘ §5 ©2020 €10 +1 <=> ^_^ ~`|",
    "Ελληνικά ΣΊΣΥΦΟΣ русский Ёлка ĳ Ǆ ﬁ",
    "हिन्दी ภาษาไทย العربية עִבְרִית",
    "▁already ▁▁ spaced ▁",
    "x",
    "in of to by for from with and or but " * 30,
]


def rng(seed):
    return np.random.default_rng(seed)


def write(folder, tokenizer, tensors, vectors_of):
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False) + "\n")
    save_file(tensors, folder / "model.safetensors")
    tok = Tokenizer.from_file(str(folder / "tokenizer.json"))
    unknown = tok.token_to_id(tokenizer["model"]["unk_token"])
    with open(folder / "golden.jsonl", "w") as out:
        for text in TEXTS:
            ids = [i for i in tok.encode(text, add_special_tokens=False).ids if i != unknown]
            vector = []
            if ids:
                mean = vectors_of(ids).mean(axis=0)
                vector = [float(v) for v in mean / np.linalg.norm(mean)]
            out.write(json.dumps({"text": text, "ids": ids, "vector": vector}) + "\n")


def added(tokens):
    return [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True} for i, t in enumerate(tokens)]


def wordpiece():
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    group_of = {}
    for g, line in enumerate(GROUPS.split("\n")):
        for word in line.split():
            if word not in vocab:
                group_of[word] = g
                vocab.append(word)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789éñüßαβγδεικλνοςστυфхрусийке京東中文字कहन"
    vocab += [c for c in dict.fromkeys(letters)]
    vocab += ["##" + c for c in dict.fromkeys(letters)]
    vocab += list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~«»–…¿‚‘§")
    vocab = list(dict.fromkeys(vocab))
    tokenizer = {
        "version": "1.0",
        "added_tokens": added(vocab[:5]),
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {t: i for i, t in enumerate(vocab)}},
    }
    row_of, mapping = {}, []
    for token in vocab:
        mapping.append(row_of.setdefault(group_of.get(token, token), len(row_of)))
    embeddings = rng(1).standard_normal((len(row_of), DIMS)).astype(np.float32)
    weights = np.array([
        .2 if not token[-1].isalnum() or group_of.get(token, 9) <= 2 else .5 if len(token) < 4 else 1
        for token in vocab], dtype=np.float32)
    mapping = np.array(mapping, dtype=np.int64)
    write(HERE / "wordpiece", tokenizer,
          {"embeddings": embeddings, "weights": weights, "mapping": mapping},
          lambda ids: embeddings[mapping[ids]] * weights[ids][:, None])


def bpe():
    words = (GROUPS + " ".join(TEXTS[:4])).split()
    vocab = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    vocab += ["▁"] + [chr(c) for c in range(33, 127)] + list("éüßαи京")
    merges = []
    split = [["▁"] + list(w) for w in words]
    for _ in range(220):  # the usual training: the most frequent pair becomes a token
        counts = {}
        for w in split:
            for pair in zip(w, w[1:]):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=lambda p: (counts[p], p))
        merges.append(best)
        vocab.append("".join(best))
        for n, w in enumerate(split):
            i, joined = 0, []
            while i < len(w):
                if tuple(w[i:i + 2]) == best:
                    joined.append("".join(best))
                    i += 2
                else:
                    joined.append(w[i])
                    i += 1
            split[n] = joined
    merges += [("▁", "▁")]
    vocab.append("▁▁")
    vocab = list(dict.fromkeys(vocab))
    tokenizer = {
        "version": "1.0",
        "added_tokens": added(vocab[:3]),
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>",
                  "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True,
                  "byte_fallback": True, "ignore_merges": False,
                  "vocab": {t: i for i, t in enumerate(vocab)},
                  "merges": [" ".join(m) for m in merges]},
    }
    weight = rng(2).standard_normal((len(vocab), DIMS)).astype(np.float16)
    write(HERE / "bpe", tokenizer, {"embedding.weight": weight},
          lambda ids: weight.astype(np.float32)[ids])


wordpiece()
bpe()
