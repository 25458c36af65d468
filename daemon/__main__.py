"""`python -m daemon` is `gonggo`."""

from daemon.cli import main

if __name__ == "__main__":
    main()
