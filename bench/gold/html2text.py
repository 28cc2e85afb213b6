"""Reads names of files of HTML, one a line, and writes the text of each as a JSON string."""
import json
import sys

import html2text

for name in sys.stdin:
    reader = html2text.HTML2Text(bodywidth=0)
    reader.ignore_links = True
    reader.ignore_images = True
    with open(name.rstrip("\n"), encoding="utf-8", errors="replace") as f:
        try:
            text = reader.handle(f.read())
        except Exception:  # a page that it cannot read is left out
            text = ""
    print(json.dumps(text), flush=True)
