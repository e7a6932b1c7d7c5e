import type { Part } from './parts.js';

/** A software bill of materials. */
export interface Bill {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: 1;
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

export interface Component {
  readonly type: 'library';
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope: 'required' | 'optional';
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
  readonly licenses?: readonly object[];
}

const RELEASE = 'release';

/**
 * The bill of a release: `packages` are the names of what is published. It has neither a time nor a serial number, so that the same lock file gives
 * the same bytes.
 * @source https://cyclonedx.org/docs/1.5/json/
 */
export function bill(version: string, packages: readonly string[], parts: ReadonlyMap<string, Part>): Bill {
  const sorted = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    bomFormat: 'CycloneDX', specVersion: '1.5', version: 1,
    metadata: { component: { type: 'application', 'bom-ref': RELEASE, name: 'treadle', version, licenses: licences('Apache-2.0') } },
    components: sorted.map(([id, part]) => component(id, part)),
    dependencies: [
      { ref: RELEASE, dependsOn: packages.map((name) => `${name}@${version}`).sort() },
      ...sorted.map(([ref, { needs }]) => ({ ref, dependsOn: [...needs].sort() })),
    ],
  };
}

function component(id: string, { name: whole, version, optional, locked }: Part): Component {
  const [, group, name = whole] = /^(@[^/]+)\/(.+)$/.exec(whole) ?? [];
  const [algorithm, digest = ''] = locked.integrity?.split(' ')[0]?.split(/-(.*)/s) ?? [];
  return {
    type: 'library', 'bom-ref': id, ...(group !== undefined && { group }), name, version, scope: optional ? 'optional' : 'required',
    purl: `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${name}@${encodeURIComponent(version)}`,
    ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') } as const] }),
    ...(locked.license !== undefined && { licenses: licences(locked.license) }),
  };
}

/** npm writes one license, or an SPDX expression of several. */
function licences(license: string): readonly object[] {
  return /[( ]/.test(license) ? [{ expression: license.replace(/^\((.*)\)$/, '$1') }] : [{ license: { id: license } }];
}
