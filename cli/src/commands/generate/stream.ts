import { Args, Flags } from '@oclif/core';
import { EXIT } from '@treadle/api';
import { configFlag, TreadleCommand } from '../../base-command.js';
import type { WrittenStep } from '../../generate/generate-step.js';

/** `treadle generate stream`: writes a file that declares a stream. */
export default class GenerateStream extends TreadleCommand<WrittenStep> {
  static override summary = 'Write the declaration of a new stream.';
  static override description = 'The file goes to steps/; one that exists is refused. Then all files are checked, and what is wrong with the new one, '
    + 'such as a name that another stream has, is shown with exit code 65.';
  static override examples = ['<%= config.bin %> <%= command.id %> board', '<%= config.bin %> <%= command.id %> chat/messages --language py'];
  static override args = { name: Args.string({ required: true, description: 'e.g. board or chat/messages' }) };
  static override flags = {
    ...configFlag,
    language: Flags.string({ char: 'l', options: ['ts', 'js', 'py'], summary: 'Default: the one that most Steps are written in.' }),
  };

  override async run(): Promise<WrittenStep> {
    const { args, flags } = await this.parse(GenerateStream);
    const { planApplication, requirePlan } = await import('../../application/plan.js');
    const { generateStream } = await import('../../generate/generate-stream.js');
    const planning = await planApplication(flags);
    const written = await generateStream(requirePlan(planning), { name: args.name, language: flags.language, env: planning.env });
    const { formatDiagnostic } = await import('@treadle/module-steps');
    this.log(`${written.file}: stream ${written.name}`);
    for (const diagnostic of written.diagnostics) process.stderr.write(`${formatDiagnostic(diagnostic)}\n`);
    if (written.diagnostics.some(({ severity }) => severity === 'error')) process.exitCode = EXIT.application;
    return written;
  }
}
