import { nearest, treadleError, type SourceLocation, type TreadleError } from '@treadle/api';
import { coerceText, type JsonType } from './coerce.js';
import { foreignKey, foreignSection } from './foreign-names.js';
import { keyPath, MAX_ISSUES, type Located, type LocatedMap, type LocatedScalar } from './located.js';
import { showNode } from './show-value.js';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const BOOLEAN: ReadonlySet<JsonType> = new Set(['boolean']);

/** Reads the fixed keys of a map of the file; every fault is added to `issues` and read as absent. */
export class EntryReader {
  private readonly node: LocatedMap;
  private readonly path: string;
  private readonly what: string;
  private readonly issues: TreadleError[];

  /** `what` names the map in errors: `a module entry`. */
  constructor(node: LocatedMap, path: string, what: string, issues: TreadleError[]) {
    this.node = node;
    this.path = path;
    this.what = what;
    this.issues = issues;
  }

  /** A reader of a node that has to be a map; undefined, reported, when it is not. */
  static of(node: Located, path: string, what: string, issues: TreadleError[]): EntryReader | undefined {
    if (node.kind === 'map') return new EntryReader(node, path, what, issues);
    if (!isMissing(node)) {
      const problem = `expected map with "class", got ${showNode(node)}`;
      issues.push(treadleError('CONFIG_BAD_VALUE', { path, problem }, { at: node.at }));
    }
    return undefined;
  }

  get(key: string): Located | undefined {
    const value = this.node.entries.get(key)?.value;
    return value && isNothing(value) ? undefined : value;
  }

  /** Reports every other key. */
  allowOnly(keys: readonly string[]): void {
    for (const [key, { keyAt }] of this.node.entries) {
      if (keys.includes(key) || this.issues.length >= MAX_ISSUES) continue;
      const [suggestion, hint] = [nearest(key, keys), this.path === '' ? foreignSection(key) : foreignKey(key, this.what)];
      // Without its quotes: a key may hold line breaks.
      const shown = JSON.stringify(key).slice(1, -1);
      const params = { path: keyPath(this.path, key), owner: this.what, key: shown, ...(suggestion && { suggestion }), ...(hint && { hint }) };
      this.issues.push(treadleError('CONFIG_UNKNOWN_KEY', params, { at: keyAt }));
    }
  }

  /** A text that has to be there; a variable that is not set has been reported already. */
  requiredText(key: string): { value: string; at: SourceLocation } | undefined {
    const node = this.get(key);
    if (!node) {
      const params = { path: keyPath(this.path, key), owner: this.what, key };
      this.issues.push(treadleError('CONFIG_MISSING_KEY', params, { at: this.node.at }));
      return undefined;
    }
    if (isMissing(node)) return undefined;
    if (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '') return { value: node.value, at: node.at };
    this.bad(key, node, 'string');
    return undefined;
  }

  map(key: string): LocatedMap | undefined {
    const node = this.get(key);
    if (!node || node.kind === 'map') return node;
    this.bad(key, node, 'map');
    return undefined;
  }

  list(key: string, expected: string): readonly Located[] {
    const node = this.get(key);
    if (!node) return [];
    if (node.kind === 'list') return node.items;
    this.bad(key, node, expected);
    return [];
  }

  name(key: string): string | undefined {
    const node = this.get(key);
    if (!node || isMissing(node)) return undefined;
    const text = node.kind === 'scalar' ? nameText(node) : undefined;
    if (text !== undefined && NAME.test(text)) return text;
    this.bad(key, node, 'name of 1 to 64 letters, digits, "_" or "-"');
    return undefined;
  }

  flag(key: string, byDefault: boolean): boolean {
    const node = this.get(key);
    if (!node || isMissing(node)) return byDefault;
    if (node.kind !== 'scalar') return this.bad(key, node, 'true or false') ?? byDefault;
    const value = node.interpolated?.whole ? this.fromVariable(key, node) : node.value;
    if (value === undefined || typeof value === 'boolean') return value ?? byDefault;
    return this.bad(key, node, 'true or false') ?? byDefault;
  }

  private fromVariable(key: string, node: LocatedScalar): boolean | undefined {
    const result = coerceText(String(node.value), BOOLEAN, node.plain);
    if ('value' in result) return result.value as boolean;
    const { variables = [] } = node.interpolated ?? {};
    const params = {
      path: keyPath(this.path, key), variable: variables.join(', '), value: showNode(node), owner: this.what, key, must: result.must,
    };
    this.issues.push(treadleError('CONFIG_BAD_ENV', params, { at: node.at }));
    return undefined;
  }

  private bad(key: string, node: Located, expected: string): undefined {
    if (isMissing(node)) return undefined;
    const params = { path: keyPath(this.path, key), problem: `expected ${expected}, got ${showNode(node)}` };
    this.issues.push(treadleError('CONFIG_BAD_VALUE', params, { at: node.at }));
    return undefined;
  }
}

/** A placeholder without value, reported by `interpolate`. */
function isMissing(node: Located): boolean {
  return node.kind === 'scalar' && node.interpolated?.missing === true;
}

/** A key with nothing behind it counts as not written. */
function isNothing(node: Located): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** `name: 1` means the name "1". */
function nameText(node: LocatedScalar): string | undefined {
  return typeof node.value === 'string' ? node.value : node.text;
}
