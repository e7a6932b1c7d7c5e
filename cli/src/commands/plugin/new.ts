import { resolve } from 'node:path';
import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { TreadleCommand } from '../../base-command.js';
import type { NewKind, NewSlot } from '../../plugin-new/plugin-names.js';

const KINDS: readonly NewKind[] = ['module', 'trigger', 'adapter'];
const SLOTS: readonly NewSlot[] = ['state', 'queue', 'stream', 'cron'];

/** The package that was written. */
interface NewPlugin {
  readonly package: string;
  readonly class: string;
  /** Absolute. */
  readonly folder: string;
  readonly files: readonly string[];
}

/** `treadle plugin new`: a package with a module, a trigger kind or an adapter of one's own. */
export default class PluginNew extends TreadleCommand<NewPlugin> {
  static override summary = 'Write a package with a module, a trigger kind or an adapter of your own.';
  static override description = 'A TypeScript package that builds: settings, class, test, README. A module passes the conformance kit as it is; the methods of an adapter, and of the source of a trigger, say "not implemented" until you have written them. Works offline.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme-treadle-beat',
    '<%= config.bin %> <%= command.id %> @acme/treadle-beat --class acme::beat::HeartModule',
    '<%= config.bin %> <%= command.id %> acme-treadle-mqtt --kind trigger',
    '<%= config.bin %> <%= command.id %> acme-treadle-sqs --kind adapter --slot queue',
  ];
  static override args = { name: Args.string({ required: true, description: 'Name of the package, e.g. acme-treadle-beat or @acme/treadle-beat' }) };
  static override flags = {
    kind: Flags.string({ options: KINDS, default: 'module', summary: 'What the package brings; a trigger is a module that starts Steps.' }),
    slot: Flags.string({ options: SLOTS, summary: 'Slot that the adapter fills; with --kind adapter.' }),
    class: Flags.string({ helpValue: '<owner::block::Name>', summary: 'Class of the module or adapter. Default: made of the name.' }),
  };

  override async run(): Promise<NewPlugin> {
    const { args, flags } = await this.parse(PluginNew);
    const { pluginNames } = await import('../../plugin-new/plugin-names.js');
    const { writePlugin } = await import('../../plugin-new/write-plugin.js');
    const names = pluginNames(args.name, { kind: KINDS.find((kind) => kind === flags.kind), classId: flags.class, slot: slotOf(flags) });
    const folder = resolve(names.folder);
    const files = await writePlugin(folder, names);
    this.log([
      `${names.package} with ${names.class} in ${names.folder}/`, '', `  cd ${names.folder}`, '  npm install', '  npm test', '',
      `In an application: plugins: [${names.package}] and ${names.slot ? `a ${names.slot} adapter` : 'a module'} of class ${names.class}; README.md tells more.`,
    ].join('\n'));
    return { package: names.package, class: names.class, folder, files };
  }
}

/** @throws {USAGE} when one flag lacks the other */
function slotOf({ kind, slot }: { readonly kind: string; readonly slot?: string | undefined }): NewSlot | undefined {
  if (kind !== 'adapter' && slot === undefined) return undefined;
  const found = SLOTS.find((one) => one === slot);
  if (kind === 'adapter' && found) return found;
  throw treadleError('USAGE', slot === undefined
    ? { message: 'an adapter fills a slot, and none is given', hint: `add --slot ${SLOTS.join('|')}` }
    : { message: `a ${kind} fills no slot, but --slot ${slot} is given`, hint: 'add --kind adapter, or leave --slot out' });
}
