import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LoadedStep } from '@treadle/protocol';
import { type BuildLock, type BuiltFile, LOCK_FORMAT } from '@treadle/protocol/build-lock';
import { contentHash, isPythonStep, roleOfFile, type StepFileReport } from '@treadle/worker';
import { CLI_VERSION } from '../version.js';
import { NODE_TARGET } from './bundle-handlers.js';
import type { NeededPackage } from './packages.js';

/** All that a build is made of. */
export interface LockParts {
  /** Absolute. */
  readonly root: string;
  readonly reports: readonly StepFileReport[];
  /** By source: what it is in the build. Absent: it is copied as it is. */
  readonly modules: ReadonlyMap<string, string>;
  /** Sources that went in, relative to the root. */
  readonly sources: readonly string[];
  /** Content of the build's files. */
  readonly outputs: ReadonlyMap<string, string | Buffer>;
  readonly packages: readonly NeededPackage[];
}

/** The whole lock file. */
export interface WholeLock extends BuildLock {
  readonly format: typeof LOCK_FORMAT;
  /** The version of Treadle that made the build. */
  readonly treadle: string;
  /** What has to run it, by language. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** Who enqueues and who consumes, by topic. */
  readonly topics: Readonly<Record<string, { readonly enqueues: readonly string[]; readonly consumes: readonly string[] }>>;
  /** Packages that the application has to bring, with the version that was there. */
  readonly packages: Readonly<Record<string, string>>;
  /** Hashes of the files of the build, by their path relative to it. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a build writes down about itself. The same parts give the same lock, byte for byte; `build` is the hash of all the rest. */
export function makeLock(parts: LockParts): WholeLock {
  const files = parts.reports.flatMap(builtFile(parts.modules)).sort(byFile);
  const steps = files.filter(({ role }) => role === undefined);
  const rest = {
    treadle: CLI_VERSION, runtimes: runtimesOf(files), steps, streams: files.filter(({ role }) => role !== undefined),
    topics: topicsOf(steps), packages: versionsOf(parts.packages), sources: sourceHashes(parts), files: hashes(parts.outputs),
  };
  const name = applicationName(parts.root);
  return { format: LOCK_FORMAT, name, build: contentHash(JSON.stringify([LOCK_FORMAT, name, rest])), ...rest };
}

/** The lock file's text. */
export function formatLock(lock: WholeLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function builtFile(modules: ReadonlyMap<string, string>): (report: StepFileReport) => readonly BuiltFile[] {
  return ({ file, version = '', steps }) => steps.map(({ config, line }: LoadedStep) => {
    const { name } = config as { readonly name?: unknown };
    const role = roleOfFile(file);
    return {
      ...(typeof name === 'string' ? { name } : {}), file, ...(line === undefined ? {} : { line }), ...(role === 'step' ? {} : { role }),
      hash: version, runtime: isPythonStep(file) ? 'python' : 'node', module: modules.get(file) ?? file, config,
    };
  });
}

function runtimesOf(files: readonly BuiltFile[]): WholeLock['runtimes'] {
  const has = (runtime: BuiltFile['runtime']): boolean => files.some((file) => file.runtime === runtime);
  return { ...(has('node') ? { node: `>=${NODE_TARGET}` } : {}), ...(has('python') ? { python: '>=3.10' } : {}) };
}

function topicsOf(steps: readonly BuiltFile[]): WholeLock['topics'] {
  const topics = new Map<string, { enqueues: string[]; consumes: string[] }>();
  const of = (topic: string): { enqueues: string[]; consumes: string[] } => {
    const known = topics.get(topic) ?? { enqueues: [], consumes: [] };
    topics.set(topic, known);
    return known;
  };
  for (const { name = '', config } of steps) {
    const { enqueues = [], triggers = [] } = config as { enqueues?: readonly string[]; triggers?: readonly { type?: string; topic?: string }[] };
    for (const topic of enqueues) of(topic).enqueues.push(name);
    for (const { type, topic } of triggers) if (type === 'queue' && topic !== undefined) of(topic).consumes.push(name);
  }
  return sorted([...topics]);
}

function versionsOf(packages: readonly NeededPackage[]): WholeLock['packages'] {
  return sorted(packages.map(({ name, version }) => [name, version ?? 'not installed']));
}

function sourceHashes({ root, sources, reports }: LockParts): WholeLock['sources'] {
  const known = new Map(reports.map(({ file, version }) => [file, version]));
  return sorted(sources.map((file) => [file, known.get(file) ?? contentHash(readFileSync(join(root, file)))]));
}

function hashes(outputs: LockParts['outputs']): WholeLock['files'] {
  return sorted([...outputs].map(([file, content]) => [file, contentHash(content)]));
}

/** The application's name: of its package.json, else of its folder. */
function applicationName(root: string): string {
  try {
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name?: unknown };
    if (typeof name === 'string' && name !== '') return name;
  } catch {
    // An application in Python needs none.
  }
  return basename(root) || 'application';
}

function sorted<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function byFile(a: BuiltFile, b: BuiltFile): number {
  return a.file < b.file ? -1 : 1;
}
