import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an application says of itself in its package.json. */
export interface ApplicationFacts {
  /** `0.0.0` when it has none. */
  readonly version: string;
  /** An SPDX expression, where there is one. */
  readonly license?: string;
}

const NO_FACTS: ApplicationFacts = { version: '0.0.0' };
/** npm's words for what no SPDX expression says. */
const NOT_SPDX = /^(?:UNLICENSED$|SEE LICENSE IN )/;

/** Reads them; `root` is absolute. */
export async function applicationFacts(root: string): Promise<ApplicationFacts> {
  try {
    const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version?: unknown; license?: unknown };
    return {
      version: typeof version === 'string' && version !== '' ? version : NO_FACTS.version,
      ...typeof license === 'string' && license !== '' && !NOT_SPDX.test(license) && { license },
    };
  } catch {
    // Python applications have no such file, and one that cannot be read is npm's to complain about.
    return NO_FACTS;
  }
}
