"""``python -m turkpoker.server.cli``: the command where the script is not on the path."""

from turkpoker.server.cli import main

main()
