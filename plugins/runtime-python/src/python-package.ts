import { fileURLToPath } from 'node:url';

/** Absolute folder that holds the Python package `treadle`, to be put on `sys.path`. */
export const PYTHON_PATH: string = fileURLToPath(new URL('../python', import.meta.url));

/** Absolute path of the program that a child process of the engine runs. */
export const PYTHON_CHILD: string = fileURLToPath(new URL('../python/treadle_child.py', import.meta.url));

/** Absolute path of the program that tells what Step files declare. */
export const PYTHON_PROBE: string = fileURLToPath(new URL('../python/treadle_probe.py', import.meta.url));
