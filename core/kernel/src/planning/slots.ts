import { treadleError, type InstanceId, type ModuleSpec, type SlotUse, type SourceLocation } from '@treadle/api';
import {
  readAdapterEntry, validateConfig, type AdapterEntry, type Located, type LocatedMap, type Validated,
} from '@treadle/config';
import type { PlannedAdapter } from '../planned.js';
import type { RegisteredAdapter } from '../registry.js';
import type { PlanContext } from './context.js';
import { checkRequirements } from './requirements.js';

/** A planned adapter with what only planning needs. */
export interface DraftAdapter {
  readonly planned: PlannedAdapter;
  readonly validated: Validated;
  readonly classAt: SourceLocation;
  /** Written in the file, not the slot's default. */
  readonly written: boolean;
}

/** The module whose slots are filled, or an adapter that has some. */
export interface SlotOwner {
  readonly spec: Pick<ModuleSpec, 'id' | 'slots'> & { readonly config: Pick<ModuleSpec['config'], 'required'> };
  /** `modules[2].config` */
  readonly path: string;
  readonly at: SourceLocation;
  readonly config: LocatedMap | undefined;
  /** Of an adapter: where it stands itself. */
  readonly stands?: { readonly slot: string; readonly path: string };
}

type Place = Pick<PlannedAdapter, 'slot' | 'within'>;

/** Stages 5 to 7 for everything that is plugged into a module; the faulty ones are reported and left out. What stands within an adapter comes before it. */
export function planSlots(context: PlanContext, owner: SlotOwner): readonly DraftAdapter[] {
  const drafts: DraftAdapter[] = [];
  for (const [key, use] of Object.entries(owner.spec.slots ?? {})) {
    for (const entry of slotEntries(context, owner, key, use)) {
      if (entry) drafts.push(...planAdapter(context, entry, placeIn(owner, key), use));
    }
  }
  return drafts;
}

/** One item per adapter of the slot; undefined for one that cannot be read. */
function slotEntries(
  context: PlanContext, owner: SlotOwner, key: string, use: SlotUse,
): readonly ((AdapterEntry & { readonly written: boolean }) | undefined)[] {
  const node = owner.config?.entries.get(key)?.value;
  const path = `${owner.path}.${key}`;
  if (!node || isNothing(node)) return defaultEntry(context, owner, key, use);
  if (!use.many) return [readWritten(context, node, path)];
  if (node.kind === 'list') return node.items.map((item, index) => readWritten(context, item, `${path}[${index}]`));
  context.issues.add(treadleError('CONFIG_BAD_VALUE', {
    path, problem: `expected a list of ${use.slot.id} adapters, got ${node.kind === 'map' ? 'a map' : JSON.stringify(node.value)}`,
  }, { at: node.at }));
  return [undefined];
}

function readWritten(
  context: PlanContext, node: Located, path: string,
): (AdapterEntry & { readonly written: boolean }) | undefined {
  const entry = context.issues.take(readAdapterEntry(node, path));
  return entry && { ...entry, written: true };
}

function defaultEntry(
  context: PlanContext, owner: SlotOwner, key: string, use: SlotUse,
): readonly ((AdapterEntry & { readonly written: boolean }) | undefined)[] {
  const { at } = owner;
  if (use.default !== undefined) {
    const [first, ...further] = [use.default].flat();
    const classes = [first ?? '', ...further.filter((id) => context.registry.find(id) !== undefined)];
    return classes.map((id, index) => ({
      class: id, classAt: at, at, path: use.many ? `${owner.path}.${key}[${index}]` : `${owner.path}.${key}`, written: false,
    }));
  }
  if (use.optional || use.many) return [];
  // A schema that requires the key has said so already, unless the key is there with nothing in it.
  const said = owner.spec.config.required?.includes(key) && !owner.config?.entries.has(key);
  if (!said) {
    context.issues.add(treadleError('CONFIG_MISSING_KEY', { path: owner.path, owner: owner.spec.id, key }, { at }));
  }
  return [undefined];
}

function isNothing(node: Located): boolean {
  return node.kind === 'scalar' && node.value === null;
}

function placeIn({ stands }: SlotOwner, key: string): Place {
  return stands ? { slot: `${stands.slot}.${key}`, within: stands.path } : { slot: key };
}

/** The adapter, after those in its own slots; without it when it is faulty. */
function planAdapter(
  context: PlanContext, entry: AdapterEntry & { readonly written: boolean }, place: Place, use: SlotUse,
): readonly DraftAdapter[] {
  const found = context.adapter(entry, use.slot.id);
  if (!found) return [];
  const { spec } = found;
  const path = `${entry.path}.config`;
  const validated = context.issues.take(validateConfig({
    tree: entry.config, schema: spec.config, path, owner: spec.id, at: entry.at, env: context.env, slotKeys: Object.keys(spec.slots ?? {}),
  }));
  const inner = planSlots(context, { spec, path, at: entry.at, config: entry.config, stands: { slot: place.slot, path: entry.path } });
  if (!validated) return inner;
  const { config } = validated;
  const planned: PlannedAdapter = {
    instance: adapterInstance(found, entry), spec, target: found.target, ...place, many: use.many ?? false, config,
    capabilities: context.ask(spec.id, 'capabilities()', entry.classAt, () => capabilitiesOf(found, config)),
    ...(entry.class === spec.id ? {} : { servedAs: entry.class as typeof spec.id }),
  };
  const needs = context.ask(spec.id, 'requires()', entry.classAt, () => spec.requires?.(config));
  checkRequirements(context, spec.id, needs ?? [], inner.filter((one) => one.planned.within === entry.path).map((one) => ({ ...one, key: keyOf(one) })));
  return [...inner, { planned, validated, classAt: entry.classAt, written: entry.written }];
}

/** Key of the slot that it stands in. */
function keyOf({ planned: { slot } }: Pick<DraftAdapter, 'planned'>): string {
  return slot.slice(slot.lastIndexOf('.') + 1);
}

function adapterInstance(found: RegisteredAdapter, entry: AdapterEntry): InstanceId {
  const { id } = found.spec;
  return { id, classId: id, path: entry.path, package: found.package.name, version: found.package.version, at: entry.at };
}

function capabilitiesOf(found: RegisteredAdapter, config: unknown): unknown {
  const { capabilities } = found.spec;
  return typeof capabilities === 'function' ? (capabilities as (config: unknown) => unknown)(config) : capabilities;
}
