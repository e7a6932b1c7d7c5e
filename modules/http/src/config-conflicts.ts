import { join } from 'node:path';
import { realpath } from 'node:fs/promises';
import type { CheckedSurroundings, ConfigConflict } from '@treadle/api';
import { faultyProxy } from './request/client-address.js';
import { corsConflict } from './response/cors.js';
import type { HttpConfig } from './http.config.js';

/** Settings that contradict each other although each of them is valid. */
export function configConflicts(config: HttpConfig): readonly ConfigConflict[] {
  const { trust_proxy: trust = 0 } = config;
  const stranger = typeof trust === 'number' ? undefined : faultyProxy(trust);
  const { cors, headers_timeout_ms: headers, request_timeout_ms: request } = config;
  const conflict = cors && corsConflict(cors);
  return [
    ...conflict ? [{ key: 'cors', problem: conflict, hint: 'name the origins' }] : [],
    ...stranger === undefined ? [] : [{
      key: 'trust_proxy', problem: `"${stranger}" is neither an address nor a network`, hint: 'write e.g. 10.0.0.7, 10.0.0.0/8, loopback or private, or how many proxies there are',
    }],
    ...headers <= request ? [] : [{
      key: 'headers_timeout_ms', others: ['request_timeout_ms'], problem: `${headers} is more than request_timeout_ms, ${request}`, hint: 'the headers are part of the request',
    }],
  ];
}

/** Folders that are to be served and are not there. */
export async function missingFolders({ static: mounts = [] }: HttpConfig, { root }: CheckedSurroundings): Promise<readonly ConfigConflict[]> {
  const found = await Promise.all(mounts.map(async ({ dir }, index) => {
    const folder = join(root, dir);
    return realpath(folder).then(() => [], () => [{ key: `static[${index}].dir`, problem: `there is no folder "${folder}"`, hint: 'make the folder or take the entry out' }]);
  }));
  return found.flat();
}
