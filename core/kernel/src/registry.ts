import {
  RESERVED_OWNERS, adapterSpecOf, moduleSpecOf, parseClassId, treadleError,
  type AdapterSpec, type ClassId, type Ctor, type Lifecycle, type ModuleSpec, type ParsedClassId, type Plugin,
  type PluginViews, type SourceLocation, type TreadleError,
} from '@treadle/api';

/** Packages of this repository that the distribution does not bring are published under this npm scope. */
const OWN_SCOPE = '@treadle/';

interface Registered {
  /** Constructor; built by the engine alone. */
  readonly target: Ctor<Lifecycle>;
  readonly package: { readonly name: string; readonly version: string };
  /** Brought by the distribution; needs no entry in `plugins:`. */
  readonly builtin: boolean;
}

/** A module class that YAML may name. */
export interface RegisteredModule extends Registered {
  readonly kind: 'module';
  readonly spec: ModuleSpec;
}

/** An adapter class that YAML may name. */
export interface RegisteredAdapter extends Registered {
  readonly kind: 'adapter';
  readonly spec: AdapterSpec;
}

/** A class that configurations can name. */
export type RegisteredClass = RegisteredModule | RegisteredAdapter;

/** A plugin and how it came. */
export interface PluginSource {
  readonly plugin: Plugin;
  readonly builtin: boolean;
  /** Its line in `plugins:`. */
  readonly at?: SourceLocation | undefined;
  /** What it adds to the console. */
  readonly views?: PluginViews | undefined;
}

/** The classes of one engine, by id and by alias. An ordinary object: nothing is registered by importing. */
export class Registry {
  private readonly ids = new Map<string, RegisteredClass>();
  private readonly names = new Map<string, RegisteredClass>();

  private constructor(private readonly issues: TreadleError[], /** In the order of the plugins. */ readonly views: readonly PluginViews[]) {}

  /** Registers every class that is in order; `errors` has CLASS_BAD_ID, CLASS_RESERVED_OWNER, CLASS_DUPLICATE, CLASS_UNDECLARED. */
  static build(sources: readonly PluginSource[]): { registry: Registry; errors: readonly TreadleError[] } {
    const errors: TreadleError[] = [];
    const registry = new Registry(errors, sources.flatMap(({ views }) => views ?? []));
    for (const source of sources) registry.addPlugin(source);
    return { registry, errors };
  }

  /** All classes, sorted by id. */
  classes(): readonly RegisteredClass[] {
    return [...this.ids.values()].sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
  }

  /** The class of an id or alias. */
  find(name: string): RegisteredClass | undefined {
    return this.names.get(name);
  }

  private addPlugin(source: PluginSource): void {
    const { plugin, builtin } = source;
    const common = { package: { name: plugin.name, version: plugin.version }, builtin };
    for (const target of plugin.modules) {
      const spec = typeof target === 'function' ? moduleSpecOf(target) : undefined;
      if (spec) this.add({ ...common, kind: 'module', spec, target }, source);
      else this.undeclared(target, 'module', source);
    }
    for (const target of plugin.adapters) {
      const spec = typeof target === 'function' ? adapterSpecOf(target) : undefined;
      if (spec) this.add({ ...common, kind: 'adapter', spec, target }, source);
      else this.undeclared(target, 'adapter', source);
    }
  }

  private add(entry: RegisteredClass, source: PluginSource): void {
    const names = [entry.spec.id, ...(entry.spec.aliases ?? []), ...(entry.spec.renamedFrom ?? [])];
    const faults = names.map((name) => this.fault(name, entry, source.at)).filter((fault) => fault !== undefined);
    this.issues.push(...faults);
    if (faults.length > 0) return;
    this.ids.set(entry.spec.id, entry);
    for (const name of names) this.names.set(name, entry);
  }

  private fault(name: string, entry: RegisteredClass, at: SourceLocation | undefined): TreadleError | undefined {
    const plugin = entry.package.name;
    const parsed = parseClassId(name);
    // An alias may be of the other form: files of the same family write adapters without "adapters".
    const wrongForm = name === entry.spec.id && parsed?.kind !== entry.kind;
    if (!parsed || wrongForm) return treadleError('CLASS_BAD_ID', { plugin, id: name }, { at });
    if (RESERVED_OWNERS.includes(parsed.owner) && !isOwn(entry)) {
      return treadleError('CLASS_RESERVED_OWNER', { plugin, owner: parsed.owner, example: ownExample(parsed) }, { at });
    }
    const other = this.names.get(name);
    if (!other) return undefined;
    return treadleError('CLASS_DUPLICATE', { class: name, first: other.package, second: entry.package }, { at });
  }

  private undeclared(target: Ctor<Lifecycle>, kind: 'module' | 'adapter', { plugin, at }: PluginSource): void {
    const name = typeof target === 'function' ? target.name || 'anonymous class' : typeof target;
    this.issues.push(treadleError('CLASS_UNDECLARED', { plugin: plugin.name, class: name, kind }, { at }));
  }
}

function isOwn(entry: RegisteredClass): boolean {
  return entry.builtin || entry.package.name.startsWith(OWN_SCOPE);
}

function ownExample(parsed: ParsedClassId): ClassId {
  return `acme${parsed.id.slice(parsed.owner.length)}` as ClassId;
}
