"""`python -m renvoi` is the command `renvoi`."""

from renvoi.cli import main

main()
