import { Args, Flags } from '@oclif/core';
import { EXIT, type Diagnostic } from '@treadle/api';
import { configFlag, TreadleCommand } from '../../base-command.js';

/** The Step that was written, and what is wrong with it among its neighbours. */
interface GeneratedStep {
  readonly name: string;
  /** Relative to the application's root. */
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** `treadle generate step`: writes a Step that works. */
export default class GenerateStep extends TreadleCommand<GeneratedStep> {
  static override summary = 'Write a new Step that works.';
  static override description = 'The file goes to steps/; one that exists is refused. Then all Steps are checked, and what is wrong with the new one, '
    + 'such as a route that another Step has, is shown with exit code 65.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> create-ticket --method POST --path /tickets',
    '<%= config.bin %> <%= command.id %> tickets/notify-customer --trigger queue --topic ticket.created',
    "<%= config.bin %> <%= command.id %> NightlyReport --trigger cron --expression '0 2 * * *' --language py",
  ];
  static override args = { name: Args.string({ required: true, description: 'e.g. create-ticket, CreateTicket or tickets/create-ticket' }) };
  static override flags = {
    ...configFlag,
    trigger: Flags.string({ char: 't', options: ['http', 'queue', 'cron', 'state', 'stream'], default: 'http', summary: 'What starts it.' }),
    language: Flags.string({ char: 'l', options: ['ts', 'js', 'py'], summary: 'Default: the one that most Steps are written in.' }),
    method: Flags.string({ options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], summary: 'Of an http trigger. Default: GET.' }),
    path: Flags.string({ helpValue: '</path/:name>', summary: 'Of an http trigger. Default: made of the name.' }),
    topic: Flags.string({ helpValue: '<topic>', summary: 'Of a queue trigger. Default: made of the name.' }),
    expression: Flags.string({ helpValue: '<cron>', summary: 'Of a cron trigger. Default: @daily.' }),
    group: Flags.string({ helpValue: '<group>', summary: 'Of a state trigger. Default: made of the name.' }),
    stream: Flags.string({ helpValue: '<stream>', summary: 'Of a stream trigger. Default: made of the name.' }),
  };

  override async run(): Promise<GeneratedStep> {
    const { args, flags } = await this.parse(GenerateStep);
    const { planApplication, requirePlan } = await import('../../application/plan.js');
    const { generateStep } = await import('../../generate/generate-step.js');
    const planning = await planApplication(flags);
    const { language, trigger, method, path, topic, expression, group, stream } = flags;
    const { name, file, diagnostics } = await generateStep(requirePlan(planning), {
      name: args.name, language, trigger: { trigger, method, path, topic, expression, group, stream }, env: planning.env,
    });
    const { formatDiagnostic } = await import('@treadle/module-steps');
    this.log(`${file}: Step ${name}`);
    for (const diagnostic of diagnostics) process.stderr.write(`${formatDiagnostic(diagnostic)}\n`);
    if (diagnostics.some(({ severity }) => severity === 'error')) process.exitCode = EXIT.application;
    return { name, file, diagnostics };
  }
}
