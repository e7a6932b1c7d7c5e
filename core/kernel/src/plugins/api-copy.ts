import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { realPath, upwards } from './lookup.js';

/** A copy of `@treadle/api`. */
export interface ApiCopy {
  /** Real path. */
  readonly folder: string;
  readonly version: string;
}

let own: ApiCopy | undefined;

/** The copy that the engine itself uses. */
export function ownApi(): ApiCopy {
  own ??= describe(dirname(createRequire(import.meta.url).resolve('@treadle/api/package.json')));
  return own;
}

/** The copy that the code in a folder would import when it is another than the engine's. */
export function otherApi(folder: string): (ApiCopy & { /** The node_modules that holds it. */ readonly within: string }) | undefined {
  for (const place of upwards(realPath(folder))) {
    const within = join(place, 'node_modules');
    const candidate = join(within, '@treadle', 'api');
    if (!existsSync(join(candidate, 'package.json'))) continue;
    const copy = describe(candidate);
    return copy.folder === ownApi().folder ? undefined : { ...copy, within };
  }
  return undefined;
}

function describe(folder: string): ApiCopy {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { folder: realPath(folder), version };
}
