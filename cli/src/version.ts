import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of this package. */
export const CLI_ROOT: string = fileURLToPath(new URL('..', import.meta.url));

/** Version of this package; the engine that it installs has the same. */
export const CLI_VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
