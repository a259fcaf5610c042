"""`python -m mnemic`: the command line."""

from mnemic.cli import main

if __name__ == "__main__":
    main()
