"""Says of each message of a file of JSON Lines whether Drain3 sees its template the first time: 1, or 0.

    python drain.py FILE.jsonl
    python drain.py --lines FILE.log    # only reads and templates the lines, for the time that it takes
"""

import json
import sys

from drain3 import TemplateMiner
from drain3.template_miner_config import TemplateMinerConfig

miner = TemplateMiner(config=TemplateMinerConfig())
if sys.argv[1] == "--lines":
    for line in open(sys.argv[2], encoding="utf-8", errors="replace"):
        miner.add_log_message(line.rstrip("\n"))
else:
    for line in open(sys.argv[1], encoding="utf-8"):
        known = miner.add_log_message(json.loads(line)["text"])["change_type"] != "cluster_created"
        print(0 if known else 1)
