"""``python -m tanager``: the command line without its script."""

import sys

from tanager.cli import main

sys.exit(main())
