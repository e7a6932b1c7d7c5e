import { writeFile } from 'node:fs/promises';
import { Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import type { OpenApiDocument } from '@treadle/module-http/openapi';
import { configFlag, TreadleCommand } from '../base-command.js';

/** `treadle openapi`: the http triggers of the Steps as an OpenAPI 3.1 document. */
export default class OpenApi extends TreadleCommand<OpenApiDocument> {
  static override summary = 'Describe the HTTP API of the Steps as OpenAPI 3.1.';
  static override description = 'Imports the Step files like "check" and starts nothing. Faulty Steps are left out and named on '
    + 'stderr, with exit code 65. In development the running engine serves the same at GET /openapi.json.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --output openapi.json',
    '<%= config.bin %> <%= command.id %> --format yaml --server https://api.example > openapi.yaml',
  ];
  static override flags = {
    ...configFlag,
    output: Flags.string({ char: 'o', helpValue: '<file>', summary: 'Write to this file instead of stdout.' }),
    format: Flags.string({
      options: ['json', 'yaml'], exclusive: ['json'],
      summary: 'Form of the document. Default: what the ending of --output says, else json.',
    }),
    server: Flags.string({ helpValue: '<url>', multiple: true, summary: 'Where the application is served; may be repeated.' }),
  };

  override async run(): Promise<OpenApiDocument> {
    const { flags } = await this.parse(OpenApi);
    const { requireApplication } = await import('../application/presence.js');
    const { planApplication, requirePlan } = await import('../application/plan.js');
    const { describeApplication } = await import('../openapi/describe-application.js');
    requireApplication(flags.config);
    const planning = await planApplication(flags);
    const { document, summary, exitCode } = await describeApplication(requirePlan(planning), planning.env, flags.server);
    const { formatOpenApi } = await import('../openapi/format-openapi.js');
    const text = formatOpenApi(document, flags.format ?? flags.output);
    if (flags.output !== undefined) await write(flags.output, text);
    else if (!this.jsonEnabled()) process.stdout.write(text);
    if (!this.jsonEnabled() || exitCode !== 0) process.stderr.write(`${summary}\n`);
    process.exitCode = exitCode;
    return document;
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw treadleError('FILE_NOT_WRITABLE', { file, reason: (error as Error).message }, { cause: error });
  }
}
