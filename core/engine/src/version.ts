import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../package.json', import.meta.url);

/** Version of this package; what `treadle-engine --version` prints and the worker channel announces. */
export const ENGINE_VERSION: string = (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version;
