import { EXIT, treadleError } from '@treadle/api';
import { configFlag, TreadleCommand } from '../../base-command.js';

/** The file and whether it was written anew. */
interface GeneratedTypes {
  /** Relative to the application's root. */
  readonly file: string;
  readonly changed: boolean;
}

/** `treadle generate types`: types for topics that are named by string and for streams. */
export default class GenerateTypes extends TreadleCommand<GeneratedTypes> {
  static override summary = 'Write types for topics named by string and for streams.';
  static override description = 'Writes treadle-types.d.ts to steps/ (without that folder to src/): what Steps that enqueue to a topic by its name must '
    + 'send, from the schemas of the Steps that consume it, and what ctx.streams holds, from their declarations. Commit the file; "dev" keeps it up to '
    + 'date from then on. A file that would not change is not touched. While a Step is faulty nothing is written, exit code 65.';
  static override examples = ['<%= config.bin %> <%= command.id %>'];
  static override flags = configFlag;

  override async run(): Promise<GeneratedTypes> {
    const { flags } = await this.parse(GenerateTypes);
    const { planApplication, requirePlan } = await import('../../application/plan.js');
    const { readCatalog } = await import('../../check/application-catalog.js');
    const { condense, formatDiagnostic, typesFile, writeTypes } = await import('@treadle/module-steps');
    const planning = await planApplication(flags);
    const plan = requirePlan(planning);
    const { records, diagnostics } = await readCatalog(plan, planning.env);
    const file = typesFile(plan.root);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    for (const error of condense(errors)) process.stderr.write(`${formatDiagnostic(error)}\n`);
    if (errors.length > 0) {
      process.exitCode = EXIT.application;
      return { file, changed: false };
    }
    const changed = await writeTypes(plan.root, records).catch((error: NodeJS.ErrnoException) => {
      throw treadleError('FILE_NOT_WRITABLE', { file, reason: error.message }, { cause: error });
    });
    this.log(`${file}: ${changed ? 'written' : 'up to date'}`);
    return { file, changed };
  }
}
