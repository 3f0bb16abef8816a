"""`python -m omvc`: the command."""

from ._command import main

main()
