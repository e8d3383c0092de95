"""`python -m scorer.cli` is `rexrank`."""

from scorer.cli import main

main()
