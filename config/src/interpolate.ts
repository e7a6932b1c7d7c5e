import { type Environment, treadleError, type TreadleError } from '@treadle/api';
import {
  itemPath, keyPath, MAX_ISSUES, type Interpolated, type Located, type LocatedEntry, type LocatedMap, type LocatedScalar, type Outcome,
} from './located.js';
import { parseTemplate, type TemplatePart } from './placeholder.js';
import { looksSecret } from './secret-names.js';

/**
 * Stage 3: replaces `${VAR}` and `${VAR:default}` in scalars, never in keys; `$${` is a literal `${`. The shape of the
 * tree stays as it is. Fails with CONFIG_ENV_MISSING, and with CONFIG_SYNTAX for a malformed placeholder.
 */
export function interpolate(tree: LocatedMap, env: Environment): Outcome<LocatedMap> {
  const interpolation = new Interpolation(env);
  const value = interpolation.map(tree, '');
  return { value, issues: interpolation.issues };
}

class Interpolation {
  readonly issues: TreadleError[] = [];
  private readonly env: Environment;
  /** What an alias stands for is replaced, and reported, once. */
  private readonly done = new Map<Located, Located>();

  constructor(env: Environment) {
    this.env = env;
  }

  map(node: LocatedMap, path: string): LocatedMap {
    const entries = new Map<string, LocatedEntry>();
    for (const [key, entry] of node.entries) {
      entries.set(key, { keyAt: entry.keyAt, value: this.node(entry.value, keyPath(path, key)) });
    }
    return { ...node, entries };
  }

  private node(node: Located, path: string): Located {
    const known = this.done.get(node);
    if (known) return known;
    const result = this.replaced(node, path);
    this.done.set(node, result);
    return result;
  }

  private replaced(node: Located, path: string): Located {
    if (node.kind === 'map') return this.map(node, path);
    if (node.kind === 'list') return { ...node, items: node.items.map((item, index) => this.node(item, itemPath(path, index))) };
    return this.scalar(node, path);
  }

  private scalar(node: LocatedScalar, path: string): LocatedScalar {
    const template = typeof node.value === 'string' ? parseTemplate(node.value) : undefined;
    if (!template) return node;
    if ('problem' in template) {
      this.report(() => treadleError('CONFIG_SYNTAX', { reason: `${path}: ${template.problem}` }, { at: node.at }));
      return { ...node, interpolated: { variables: [], fromDefault: false, whole: false, missing: true } };
    }
    const value = template.parts.map((part) => this.part(part, node, path)).join('');
    const interpolated = this.facts(template.parts);
    return interpolated ? { ...node, value, interpolated } : { ...node, value };
  }

  private part(part: TemplatePart, node: LocatedScalar, path: string): string {
    if (part.kind === 'text') return part.text;
    const value = this.variable(part.name) ?? part.byDefault;
    if (value !== undefined) return value;
    this.report(() => treadleError('CONFIG_ENV_MISSING', { path, variable: part.name }, { at: node.at }));
    return '';
  }

  private facts(parts: readonly TemplatePart[]): Interpolated | undefined {
    const placeholders = parts.filter((part) => part.kind === 'variable');
    if (placeholders.length === 0) return undefined;
    const isSet = (name: string): boolean => this.variable(name) !== undefined;
    return {
      variables: placeholders.map((part) => part.name),
      fromDefault: !placeholders.some((part) => isSet(part.name)),
      whole: parts.length === 1,
      ...(placeholders.some((part) => looksSecret(part.name)) && { secret: true }),
      ...(placeholders.some((part) => !isSet(part.name) && part.byDefault === undefined) && { missing: true }),
    };
  }

  private report(issue: () => TreadleError): void {
    if (this.issues.length < MAX_ISSUES) this.issues.push(issue());
  }

  /** Own properties only: `${__proto__}` is a variable like any other. */
  private variable(name: string): string | undefined {
    return Object.hasOwn(this.env, name) ? this.env[name] : undefined;
  }
}
