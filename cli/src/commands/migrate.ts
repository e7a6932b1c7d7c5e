import { Args, Flags } from '@oclif/core';
import { TreadleCommand } from '../base-command.js';
import type { Note } from '../migrate/migration.js';

/** What was changed, or would be, and what is left. */
interface MigrateReport {
  readonly written: boolean;
  readonly files: readonly string[];
  readonly notes: readonly Note[];
}

/** `treadle migrate`: brings an application of the same family here. */
export default class Migrate extends TreadleCommand<MigrateReport> {
  static override summary = 'Bring an application of Motia, or of its family, to Treadle.';
  static override description = 'Prints what would change as a unified diff, and what you have to do by hand with file and line; --write applies it. Steps in '
    + 'TypeScript, JavaScript and Python, package.json and the configuration are brought over; a second run changes nothing. --write refuses a folder with '
    + 'changes that git has not got, unless --force is given. TypeScript and JavaScript are read with the package "typescript" of the application. "treadle '
    + 'docs from-motia" says what is different.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> ../shop --write'];
  static override args = { folder: Args.string({ default: '.', description: 'The application\'s folder.' }) };
  static override flags = {
    write: Flags.boolean({ char: 'w', summary: 'Apply the changes.' }),
    force: Flags.boolean({ char: 'f', summary: 'Also where git has uncommitted changes, or does not keep the folder.', dependsOn: ['write'] }),
  };

  override async run(): Promise<MigrateReport> {
    const { args, flags } = await this.parse(Migrate);
    const { resolve } = await import('node:path');
    const { requireFolder } = await import('../migrate/require-folder.js');
    const { planMigration } = await import('../migrate/migrate-application.js');
    const { formatNote, summary, unifiedDiff } = await import('../migrate/report.js');
    const { applyChanges, requireCommitted, requireKept } = await import('../migrate/apply-changes.js');
    const folder = resolve(args.folder);
    requireFolder(folder, args.folder);
    if (flags.write && !flags.force) requireCommitted(folder);
    const migration = await planMigration(folder);
    if (flags.write && !flags.force) requireKept(folder, migration.changes);
    if (flags.write) applyChanges(folder, migration.changes);
    else if (migration.changes.length > 0) this.log(unifiedDiff(migration.changes));
    const notes = flags.write ? migration.notesAfter : migration.notes;
    for (const note of notes) this.log(formatNote(note));
    this.log(`${notes.length > 0 ? '\n' : ''}${summary(migration, flags.write)}`);
    return { written: flags.write, files: migration.changes.map(({ file }) => file), notes };
  }
}
