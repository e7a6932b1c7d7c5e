import { existsSync, readFileSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../architecture/workspace.js';

/** What a figure is worth nothing without. */
export interface Machine {
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly processors: string;
  readonly memoryGb: number;
  readonly versions: Readonly<Record<string, string>>;
}

/** @param peers names of packages whose versions are named; those of `folder/node_modules`, else the repository's own. */
export function machine(folder: string, peers: readonly string[]): Machine {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10), node: process.version, system: `${platform()} ${release()}`,
    processors: `${processors.length} x ${processors[0]?.model.trim() || 'unknown'}`, memoryGb: Math.round(totalmem() / 2 ** 30),
    versions: Object.fromEntries(peers.map((name) => [name, versionOf(folder, name)])),
  };
}

function versionOf(folder: string, name: string): string {
  const manifest = [folder, ROOT].map((place) => join(place, 'node_modules', name, 'package.json')).find((file) => existsSync(file)) ?? '';
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
