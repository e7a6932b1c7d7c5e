import { parseArgs } from 'node:util';

export interface ReleaseOptions {
  /** `v` and the version, e.g. `v0.2.0`. */
  readonly tag: string;
  /** Shell command that builds the checkout. */
  readonly build: string;
  /** Shell command that tries what was published; its exit code decides. */
  readonly e2e: string;
  readonly remote: string;
}

export const USAGE = `usage: npm run release -- <tag> [--build <command>] [--e2e <command>] [--remote <name>]
  <tag>      v and the version of the packages, e.g. v0.2.0; on the checked-out commit
  --build    default: npm ci && npm run build
  --e2e      default: npm run campaign:create; reads RELEASE_VERSION and RELEASE_REGISTRY
  --remote   default: origin`;

/** @throws Error that says what is wrong with the arguments. */
export function releaseOptions(args: readonly string[]): ReleaseOptions {
  const { values, positionals } = parseArgs({
    args: [...args], allowPositionals: true,
    options: {
      build: { type: 'string', default: 'npm ci && npm run build' },
      e2e: { type: 'string', default: 'npm run campaign:create' },
      remote: { type: 'string', default: 'origin' },
    },
  });
  const [tag, ...rest] = positionals;
  if (tag === undefined || rest.length > 0) throw new Error('one tag is needed');
  if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(tag)) throw new Error(`"${tag}" is no version tag such as v0.2.0`);
  return { tag, ...values };
}
