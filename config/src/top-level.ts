import { treadleError, type SourceLocation, type TreadleError } from '@treadle/api';
import { EntryReader } from './entry-reader.js';
import { itemPath, type Located, type LocatedMap, type LocatedScalar, type Outcome } from './located.js';
import { showNode } from './show-value.js';

/** The file's three sections. */
export interface TopLevel {
  readonly modules: readonly ModuleEntry[];
  readonly plugins: readonly PluginEntry[];
  /** The `engine:` node; check it with `ENGINE_SCHEMA`. */
  readonly engine: Located | undefined;
}

/** One item of `plugins:`: a package name or a relative path. */
export interface PluginEntry {
  readonly name: string;
  readonly at: SourceLocation;
}

/** One item of `modules:`. */
export interface ModuleEntry {
  readonly class: string;
  readonly classAt: SourceLocation;
  /** `[A-Za-z0-9_-]{1,64}` */
  readonly name?: string;
  /** Default true. */
  readonly enabled: boolean;
  /** A map; absent when nothing is written. */
  readonly config?: LocatedMap;
  readonly at: SourceLocation;
  /** `modules[2]`. */
  readonly path: string;
  readonly index: number;
}

/** The value of a slot. */
export interface AdapterEntry {
  readonly class: string;
  readonly classAt: SourceLocation;
  readonly config?: LocatedMap;
  readonly at: SourceLocation;
  /** e.g. `modules[2].config.adapter`. */
  readonly path: string;
}

const SECTIONS = ['modules', 'plugins', 'engine'] as const;
const MODULE_KEYS = ['class', 'name', 'enabled', 'config'] as const;
const ADAPTER_KEYS = ['class', 'config'] as const;

/**
 * Checks the shape of the whole file: known sections, entries with a class. Faulty entries are reported
 * (CONFIG_UNKNOWN_KEY, CONFIG_MISSING_KEY, CONFIG_BAD_VALUE) and left out of the result. `file` is how errors name the file.
 */
export function readTopLevel(tree: LocatedMap, file: string): Outcome<TopLevel> {
  const issues: TreadleError[] = [];
  const sections = new EntryReader(tree, '', file, issues);
  sections.allowOnly(SECTIONS);
  const modules = sections.list('modules', 'list of entries with a "class"')
    .map((node, index) => readModule(node, index, issues))
    .filter((entry) => entry !== undefined);
  const plugins = sections.list('plugins', 'list of package names or paths')
    .map((node, index) => readPlugin(node, index, issues))
    .filter((entry) => entry !== undefined);
  return { value: { modules, plugins, engine: sections.get('engine') }, issues };
}

/** Checks the shape of one adapter entry `{class, config?}`; undefined when it cannot be used. */
export function readAdapterEntry(node: Located, path: string): Outcome<AdapterEntry | undefined> {
  const issues: TreadleError[] = [];
  const entry = EntryReader.of(node, path, 'an adapter entry', issues);
  if (!entry) return { value: undefined, issues };
  entry.allowOnly(ADAPTER_KEYS);
  const className = entry.requiredText('class');
  const config = entry.map('config');
  if (!className) return { value: undefined, issues };
  const value = { class: className.value, classAt: className.at, at: node.at, path, ...(config && { config }) };
  return { value, issues };
}

function readModule(node: Located, index: number, issues: TreadleError[]): ModuleEntry | undefined {
  const path = itemPath('modules', index);
  const entry = EntryReader.of(node, path, 'a module entry', issues);
  if (!entry) return undefined;
  entry.allowOnly(MODULE_KEYS);
  const className = entry.requiredText('class');
  const config = entry.map('config');
  const name = entry.name('name');
  const enabled = entry.flag('enabled', true);
  if (!className) return undefined;
  return {
    class: className.value, classAt: className.at, enabled, at: node.at, path, index,
    ...(name !== undefined && { name }), ...(config && { config }),
  };
}

function readPlugin(node: Located, index: number, issues: TreadleError[]): PluginEntry | undefined {
  if (node.kind === 'scalar' && node.interpolated?.missing) return undefined;
  if (isText(node)) return { name: node.value, at: node.at };
  const problem = `expected package name or path, got ${showNode(node)}`;
  issues.push(treadleError('CONFIG_BAD_VALUE', { path: itemPath('plugins', index), problem }, { at: node.at }));
  return undefined;
}

function isText(node: Located): node is LocatedScalar & { value: string } {
  return node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '';
}
