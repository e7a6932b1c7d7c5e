"""Started by the engine: this file's folder, which holds the package, is the first entry of ``sys.path``."""

from treadle.worker.child import main

if __name__ == "__main__":
    main()
