"""Read a mind again and again until the input ends: reader.py FOLDER"""

from __future__ import annotations

import sys
import threading

from mnemic import Mind


def main() -> None:
    """Read until told to stop, and say when the first round is done."""
    waiting = threading.Thread(target=sys.stdin.read, daemon=True)
    waiting.start()
    with Mind(sys.argv[1]) as mind:
        while waiting.is_alive():
            mind.recall("harbour quizzaciously", everywhere=True)
            assert sum(len(page) for page in mind.pages(everywhere=True, include_superseded=True))
            sys.stdout.write("round\n")
            sys.stdout.flush()
            waiting.join(0.01)


if __name__ == "__main__":
    main()
