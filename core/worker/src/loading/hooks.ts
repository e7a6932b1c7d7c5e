/**
 * Module hooks for the files of an application; they run in Node's own hooks thread (Node >= 18.19). Everything else, the
 * engine's packages and node_modules included, is left to Node.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { contentHash } from '../content-hash.js';
import { watchParent } from '../session/watch-parent.js';
import { ContextReaders } from './context-readers.js';
import { laterImports } from './later-imports.js';
import { formatOf, probe } from './local-files.js';
import type { HookProblem, HookReply, HookReport, HookRequest, RootSettings } from './hook-messages.js';
import { TransformError, Transformer } from './transform.js';
import { TsConfig } from './compiler-config.js';
import { workspaceFile } from './workspace-package.js';

interface ResolveContext {
  readonly parentURL?: string | undefined;
  readonly importAttributes?: Readonly<Record<string, string>>;
  readonly importAssertions?: Readonly<Record<string, string>>;
}
interface Resolved { readonly url: string; readonly format?: string | null; readonly shortCircuit?: boolean }
interface Loaded { readonly format: string; readonly source?: string | Buffer | null; readonly shortCircuit?: boolean }
interface LoadContext extends ResolveContext { readonly format?: string | null }

interface Root { readonly settings: RootSettings; readonly transformer: Transformer; readonly tsconfig: TsConfig }

const roots: Root[] = [];
/** Files outside every root that local files import, e.g. sources of a sibling package. */
const adopted = new Map<string, Root>();
let stamps: ReadonlyMap<string, number> = new Map();
let edges: [string, string][] = [];
let loaded: [string, string][] = [];
let problems: HookProblem[] = [];
let readers: ContextReaders | undefined;

export function initialize({ port, tracking }: { port: MessagePort; tracking: Uint8Array }): void {
  readers = new ContextReaders(tracking, (url) => localFile(url) !== undefined);
  port.on('message', (request: HookRequest) => {
    void answer(request).then((reply) => port.postMessage(reply));
  });
  // The port alone must not keep the process alive.
  port.unref();
}

async function answer(request: HookRequest): Promise<HookReply> {
  const { id } = request;
  switch (request.type) {
    case 'root': return addRoot(request.settings, id);
    case 'stamps': stamps = request.stamps; return { id };
    case 'watch': watchParent(request.watch); return { id };
    case 'report': return { id, report: takeReport() };
    case 'syntax': return { id, problem: await firstSyntaxError(request.files) };
  }
}

async function firstSyntaxError(files: readonly string[]): Promise<HookProblem | undefined> {
  for (const file of files) {
    const problem = /\.[mc]?js$/.test(file) ? await rootOf(file)?.transformer.findSyntaxError(file) : undefined;
    if (problem) return problem;
  }
  return undefined;
}

function addRoot(settings: RootSettings, id: number): HookReply {
  const tsconfig = new TsConfig(settings.root);
  roots.unshift({ settings, tsconfig, transformer: new Transformer(settings, tsconfig.raw) });
  return { id };
}

function takeReport(): HookReport {
  readers?.settled();
  const report = { edges, loaded, problems };
  edges = [];
  loaded = [];
  problems = [];
  return report;
}

type NextResolve = (specifier: string, context: ResolveContext) => Promise<Resolved>;
type NextLoad = (url: string, context: LoadContext) => Promise<Loaded>;

export async function resolve(specifier: string, context: ResolveContext, next: NextResolve): Promise<Resolved> {
  const resolved = await resolveModule(specifier, context, next);
  readers?.resolved(resolved.url, context.parentURL);
  return resolved;
}

async function resolveModule(specifier: string, context: ResolveContext, next: NextResolve): Promise<Resolved> {
  const parent = localFile(context.parentURL);
  if (/^\.{0,2}\/|^\.\.?$|^file:/.test(specifier)) {
    const file = localTarget(specifier, context.parentURL, parent);
    return file === undefined ? next(specifier, context) : found(file, context.parentURL, parent);
  }
  if (parent === undefined) return next(specifier, context);
  const mapped = mappedFile(specifier, parent);
  if (mapped !== undefined) return found(mapped, context.parentURL, parent);
  try {
    const resolved = await next(specifier, context);
    const file = sourceFile(resolved.url);
    return file === undefined ? resolved : found(file, context.parentURL, parent);
  } catch (error) {
    const file = workspaceFile(specifier, parent);
    if (file !== undefined && formatOf(file)) return found(file, context.parentURL, parent);
    problems.push(unresolved(specifier, parent, error));
    throw error;
  }
}

/** What `paths` of tsconfig.json makes of a bare specifier; it comes before packages, as for the compiler. */
function mappedFile(specifier: string, parent: string): string | undefined {
  for (const candidate of rootOf(parent)?.tsconfig.candidates(specifier) ?? []) {
    const file = probe(candidate);
    if (file !== undefined && formatOf(file) && !isPackage(file)) return file;
  }
  return undefined;
}

/** Path of a file whose imports are ours to resolve, or undefined. */
function localFile(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:')) return undefined;
  const path = pathOf(url);
  return rootOf(path) ? path : undefined;
}

function localTarget(specifier: string, parentURL: string | undefined, parent: string | undefined): string | undefined {
  const url = new URL(specifier, parentURL);
  const path = fileURLToPath(`file://${url.pathname}`);
  if (isPackage(path) || (parent === undefined && !rootOf(path))) return undefined;
  const file = probe(path);
  if (file === undefined && parent !== undefined) problems.push(unresolved(specifier, parent));
  return file !== undefined && formatOf(file) ? file : undefined;
}

/** A bare specifier that leads to TypeScript outside node_modules (a package of the same workspace), or to a file of ours. */
function sourceFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = pathOf(url);
  if (isPackage(path)) return undefined;
  const format = formatOf(path);
  return format === 'typescript' || (format && rootOf(path)) ? path : undefined;
}

function found(file: string, parentURL: string | undefined, parent: string | undefined): Resolved {
  if (parent !== undefined && parentURL !== undefined) {
    edges.push([parentURL, file]);
    if (!rootOf(file)) adopted.set(file, rootOf(parent) as Root);
  }
  const stamp = stamps.get(file);
  return { url: pathToFileURL(file).href + (stamp === undefined ? '' : `?t=${stamp}`), shortCircuit: true };
}

export async function load(url: string, context: LoadContext, next: NextLoad): Promise<Loaded> {
  readers?.loads(url);
  const module = await loadModule(url, context, next);
  readers?.loaded(url, module.format, module.source);
  return module;
}

async function loadModule(url: string, context: LoadContext, next: NextLoad): Promise<Loaded> {
  const file = localFile(url);
  const format = file === undefined ? undefined : formatOf(file);
  if (file === undefined || !format) return next(url, context);
  const source = readFileSync(file, 'utf8');
  loaded.push([file, contentHash(source)]);
  for (const imported of laterImports(source, file)) edges.push([url, imported]);
  const attributes = context.importAttributes ?? context.importAssertions ?? {};
  if (format === 'json' && attributes['type'] === 'json') return next(url, context);
  if (format === 'commonjs') return next(url, { ...context, format });
  return { format: 'module', source: await moduleSource(file, format, source), shortCircuit: true };
}

async function moduleSource(file: string, format: 'typescript' | 'module' | 'json', source: string): Promise<string> {
  if (format === 'json') return `export default ${source}`;
  if (format === 'module') return source;
  try {
    return await (rootOf(file) as Root).transformer.transform(file, source);
  } catch (error) {
    if (error instanceof TransformError) problems.push(error.problem);
    throw error;
  }
}

function rootOf(path: string): Root | undefined {
  if (isPackage(path)) return undefined;
  return roots.find(({ settings }) => path.startsWith(`${settings.root}/`)) ?? adopted.get(path);
}

function unresolved(specifier: string, importer: string, error?: unknown): HookProblem {
  const source = readFileSync(importer, 'utf8');
  const index = source.search(new RegExp(`['"\`]${specifier.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"\`]`));
  const before = source.slice(0, Math.max(index, 0)).split('\n');
  const reason = error instanceof Error && !/^Cannot find (?:package|module)/.test(error.message) ? `: ${error.message}` : '';
  return {
    kind: 'import', file: importer, message: `cannot find "${specifier}"${reason}`,
    ...(index < 0 ? {} : { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }),
  };
}

const isPackage = (path: string): boolean => path.includes('/node_modules/');
const pathOf = (url: string): string => fileURLToPath(url.split(/[?#]/, 1)[0] ?? url);
