import { createRequire } from 'node:module';

/** Version of this package, told to the engine in `hello`. */
export const SDK_VERSION: string = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
