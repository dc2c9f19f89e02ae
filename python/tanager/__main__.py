"""``python -m tanager``: the command line without its script."""

import sys

from tanager.cli import main

if __name__ == "__main__":
    sys.exit(main())
