import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { PythonAdapter } from './python.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { findPython, type FindPythonOptions, type FoundPython, type NoPython } from './find-python.js';
export { PythonAdapter } from './python.adapter.js';
export { PythonConfig } from './python.config.js';
export { probePython, type ProbePythonOptions } from './probe-python.js';
export { PYTHON_CHILD, PYTHON_PATH } from './python-package.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [PythonAdapter] });
