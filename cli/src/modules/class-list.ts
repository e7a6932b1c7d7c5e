import type { EnginePlan, RegisteredClass } from '@treadle/kernel';
import { count, formatTable } from '../terminal/table.js';

/** A class as `modules list` shows it. */
export interface ListedClass {
  readonly class: string;
  readonly aliases: readonly string[];
  readonly kind: 'module' | 'adapter';
  readonly stability: string;
  readonly summary: string;
  /** Ids of the ports that a module provides. */
  readonly provides: readonly string[];
  /** The slot that an adapter fits. */
  readonly slot?: string;
  readonly package: { readonly name: string; readonly version: string };
  /** From a package of `plugins:`. */
  readonly plugin: boolean;
  /** The configuration builds it. */
  readonly inUse: boolean;
}

export interface ClassListing {
  readonly classes: readonly ListedClass[];
}

const RETIRED = ['deprecated', 'unmaintained'];

/** The classes to show, sorted by id; those that are retired only with `all`. */
export function listClasses(
  classes: readonly RegisteredClass[], options: { readonly plan?: EnginePlan | undefined; readonly all: boolean },
): ClassListing {
  const used = classesInUse(options.plan);
  const listed = classes.map((entry) => listedClass(entry, used));
  return { classes: options.all ? listed : listed.filter((entry) => !RETIRED.includes(entry.stability)) };
}

/** The table and the line that sums it up. */
export function formatClassListing({ classes }: ClassListing, options: { readonly markUse: boolean }): string {
  const header = ['CLASS', 'KIND', 'STABILITY', 'SLOT/PORTS', 'PACKAGE'];
  const table = formatTable([header, ...classes.map(cells)]);
  const lines = options.markUse ? markUse(table, classes) : table;
  return `${lines}\n${summary(classes, options.markUse)}`;
}

function classesInUse(plan: EnginePlan | undefined): ReadonlySet<string> {
  const entries = plan?.entries ?? [];
  return new Set(entries.flatMap((entry) => [entry, ...entry.adapters]).map((part) => part.instance.classId));
}

function listedClass(entry: RegisteredClass, used: ReadonlySet<string>): ListedClass {
  const { id, aliases = [], stability, summary: about } = entry.spec;
  return {
    class: id, aliases, kind: entry.kind, stability, summary: about,
    provides: entry.kind === 'module' ? (entry.spec.provides ?? []).map((port) => port.id) : [],
    ...(entry.kind === 'adapter' ? { slot: entry.spec.slot.id } : {}),
    package: entry.package, plugin: !entry.builtin, inUse: used.has(id),
  };
}

function cells(entry: ListedClass): readonly string[] {
  const place = entry.slot ?? (entry.provides.join(', ') || '-');
  const origin = `${entry.package.name} ${entry.package.version}${entry.plugin ? ' (plugin)' : ''}`;
  return [entry.class, entry.kind, entry.stability, place, origin];
}

function markUse(table: string, classes: readonly ListedClass[]): string {
  return table.split('\n').map((line, row) => `${classes[row - 1]?.inUse ? '*' : ' '} ${line}`).join('\n');
}

function summary(classes: readonly ListedClass[], marked: boolean): string {
  const modules = classes.filter((entry) => entry.kind === 'module').length;
  const plugins = new Set(classes.filter((entry) => entry.plugin).map((entry) => entry.package.name)).size;
  const fromPlugins = classes.filter((entry) => entry.plugin).length;
  const from = plugins === 0 ? '' : ` (${fromPlugins} from ${plugins === 1 ? 'a plugin' : 'plugins'})`;
  const shown = `${count(modules, 'module')} and ${count(classes.length - modules, 'adapter')} shown${from}`;
  return `${shown}; ${marked ? '* marks those in use, ' : ''}--all adds deprecated ones, --json prints everything.`;
}
