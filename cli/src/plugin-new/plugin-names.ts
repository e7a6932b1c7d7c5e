import { parseClassId, RESERVED_OWNERS, treadleError } from '@treadle/api';
import { projectNameProblem } from '../create/project-name.js';

/** The slots that an adapter can be written for, and the module that each belongs to. */
export const SLOT_MODULES = {
  state: 'modules::state::StateModule', queue: 'modules::queue::QueueModule', stream: 'modules::stream::StreamModule', cron: 'modules::cron::CronModule',
} as const;
export type NewSlot = keyof typeof SLOT_MODULES;

/** What a package brings; a `trigger` is a module with a trigger kind. */
export type NewKind = 'module' | 'trigger' | 'adapter';

/** What a new plugin and its parts are called. */
export interface PluginNames {
  readonly kind: NewKind;
  /** Of an adapter. */
  readonly slot?: NewSlot;
  /** e.g. `@acme/treadle-beat`. */
  readonly package: string;
  /** e.g. `treadle-beat`. */
  readonly folder: string;
  /** e.g. `acme::beat::BeatModule`, `acme::queue::adapters::Beat`. */
  readonly class: string;
  /** e.g. `BeatModule`, `BeatQueue`. */
  readonly name: string;
  /** `Beat`: the name without `Module` or `Adapter`. */
  readonly short: string;
  /** `beat`: how its files begin. */
  readonly file: string;
  /** Of a trigger kind, e.g. `acme.beat`. */
  readonly type: string;
}

/** What is asked for beside the name of the package. */
export interface NewPlugin {
  /** Default: `adapter` with a slot, else `module`. */
  readonly kind?: NewKind | undefined;
  readonly classId?: string | undefined;
  readonly slot?: NewSlot | undefined;
}

/** Words of a package's name that say nothing of what it does. */
const COMMON = new Set(['treadle', 'plugin']);

/**
 * Names everything after the package: `acme-treadle-beat` and `@acme/beat` bring `acme::beat::BeatModule`, `beat` brings
 * `beat::beat::BeatModule`; for slot `queue` it is `acme::queue::adapters::Beat`. `classId` decides instead when it is given.
 * @throws {USAGE} for names that npm or the engine refuses
 */
export function pluginNames(packageName: string, { classId, slot, kind = slot === undefined ? 'module' : 'adapter' }: NewPlugin = {}): PluginNames {
  const folder = packageName.replace(/^@[^/]*\//, '');
  const scope = packageName.startsWith('@') ? packageName.slice(1, packageName.indexOf('/')) : undefined;
  for (const part of scope === undefined ? [folder] : [scope, folder]) {
    const problem = projectNameProblem(part);
    if (problem) throw treadleError('USAGE', problem);
  }
  const id = classId ?? derivedClass([...(scope === undefined ? [] : [scope]), ...folder.split(/[._-]+/)], slot);
  const parsed = parseClassId(id);
  const fits = parsed?.kind === (slot === undefined ? 'module' : 'adapter') && (slot === undefined || parsed.block === slot) && !RESERVED_OWNERS.includes(parsed.owner);
  if (!fits) throw badClass(id, { derived: classId === undefined, slot });
  const short = parsed.name.replace(/(Module|Adapter)$/, '') || parsed.name;
  const file = short.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const type = `${parsed.owner}.${parsed.block}`;
  return { kind, ...slot && { slot }, package: packageName, folder, class: id, name: slot ? typeOf(short, slot) : parsed.name, short, file, type };
}

/** `StateAdapter` and its like are interfaces of the API. */
function typeOf(short: string, slot: NewSlot): string {
  return `${short}${slot.charAt(0).toUpperCase()}${slot.slice(1)}`;
}

function derivedClass(parts: readonly string[], slot: NewSlot | undefined): string {
  const words = parts.map((word) => word.toLowerCase().replace(/[^a-z0-9]/g, ''));
  const [owner = '', ...rest] = words.filter((word) => word !== '' && !COMMON.has(word));
  const block = rest.length === 0 ? [owner] : rest;
  const name = block.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return slot ? `${owner}::${slot}::adapters::${name}` : `${owner}::${block.join('_')}::${name}Module`;
}

function badClass(id: string, { derived, slot }: { readonly derived: boolean; readonly slot: NewSlot | undefined }): Error {
  const reserved = RESERVED_OWNERS.some((owner) => id.startsWith(`${owner}::`));
  const wanted = slot ? `${slot} adapter` : 'module';
  const problem = reserved ? `"${id}" has an owner that only Treadle's own packages use` : `"${id}" is no class of a ${wanted}`;
  const [form, example] = slot ? [`owner::${slot}::adapters::Name`, `acme::${slot}::adapters::Beat`] : ['owner::block::NameModule', 'acme::beat::BeatModule'];
  return treadleError('USAGE', { message: problem, hint: `${derived ? 'give one with --class: ' : ''}write ${form} with your own owner, e.g. ${example}` });
}
