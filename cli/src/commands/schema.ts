import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { configFlag, TreadleCommand } from '../base-command.js';
import { printJson } from '../failure.js';

/** `treadle schema`: one JSON Schema for the whole configuration file, built from the installed classes. */
export default class Schema extends TreadleCommand<object> {
  static override summary = 'Write a JSON Schema of the configuration for editors.';
  static override description = 'One draft-07 document, built from the classes of the engine and of the plugins that '
    + 'the configuration lists. Put "# yaml-language-server: $schema=./treadle.schema.json" first in the YAML file.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --output treadle.schema.json',
    '<%= config.bin %> <%= command.id %> > treadle.schema.json',
  ];
  static override flags = {
    ...configFlag,
    output: Flags.string({ char: 'o', helpValue: '<file>', summary: 'Write to this file instead of stdout.' }),
  };

  override async run(): Promise<object> {
    const { flags } = await this.parse(Schema);
    const { installedClasses } = await import('../modules/installed-classes.js');
    const { buildSchema, schemaSummary } = await import('../modules/config-schema.js');
    const { classes } = await installedClasses(flags);
    const schema = buildSchema(classes);
    const file = flags.output ?? 'treadle.schema.json';
    if (flags.output !== undefined) await write(flags.output, schema);
    else if (!this.jsonEnabled()) printJson(schema);
    if (!this.jsonEnabled()) process.stderr.write(`${schemaSummary(basename(file), classes)}\n`);
    return schema;
  }
}

async function write(file: string, schema: object): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`);
  } catch (error) {
    throw treadleError('FILE_NOT_WRITABLE', { file, reason: (error as Error).message }, { cause: error });
  }
}
