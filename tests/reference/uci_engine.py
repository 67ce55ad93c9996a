"""An engine that speaks the Universal Chess Interface, in plain Python: it plays a move that it was given.

python tests/reference/uci_engine.py MOVE [--fault dies|hangs|deaf]
"""

import sys
import time

move, fault = sys.argv[1], (sys.argv[3] if len(sys.argv) > 3 else "")
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    if word == "uci" and fault != "deaf":
        print("id name fake\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        if fault == "dies":
            sys.exit(3)
        if fault == "hangs":
            time.sleep(60)
        print(f"info depth 1\nbestmove {move}", flush=True)
