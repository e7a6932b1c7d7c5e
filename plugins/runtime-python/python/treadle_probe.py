"""Started by ``check`` and ``build``: this file's folder, which holds the package, is the first entry of ``sys.path``."""

from treadle.worker.probe import main

if __name__ == "__main__":
    main()
