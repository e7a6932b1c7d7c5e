import { RuntimeSlot, type Diagnostic, type RuntimeCapabilities, type StepRecord } from '@treadle/api';
import { declaredKinds, type EnginePlan } from '@treadle/kernel';
import { diagnose, overlookedFiles, sourceText } from '@treadle/module-steps';
import { probePython } from '@treadle/runtime-python';
import { discoverStepFiles, findOverlooked, isNodeStep, isPythonStep, type StepFile, type StepFileReport } from '@treadle/worker';
import type { Environment } from '../application/dotenv.js';
import { Progress } from '../terminal/progress.js';
import { probeSteps } from './probe-steps.js';
import { shadowedFiles } from './shadowed-files.js';

const PYTHON_RUNTIME = 'modules::runtime::adapters::Python';
const STEPS_MODULE = 'modules::steps::StepsModule';

/** What the Step files of an application declare. */
export interface ApplicationCatalog {
  /** False: the configuration runs no Steps of its own, so none were looked for. */
  readonly discover: boolean;
  /** All that were found, declarations of streams too. */
  readonly files: readonly StepFile[];
  /** What the files themselves say, one report each. */
  readonly reports: readonly StepFileReport[];
  /** Steps and declarations of streams that may serve, sorted by path. */
  readonly records: readonly StepRecord[];
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Imports the Step files of an application in a process of their own and checks them against its modules. `always`: also
 * when the configuration runs none of them itself.
 */
export async function readCatalog(plan: EnginePlan, env: Environment, always = false): Promise<ApplicationCatalog> {
  if (!always && !discoversSteps(plan)) return { discover: false, files: [], reports: [], records: [], diagnostics: [] };
  const files = await discoverStepFiles(plan.root);
  const unserved = files.filter(({ file }) => !languages(plan).has(languageOf(file)));
  const reports = await importSteps(plan, files.filter((file) => !unserved.includes(file)), env);
  const { steps, diagnostics } = diagnose({ reports, kinds: declaredKinds(plan), root: plan.root, source: sourceText(plan.root) });
  const overlooked = overlookedFiles(await findOverlooked(plan.root));
  const all = [...diagnostics, ...await shadowedFiles(plan, steps), ...overlooked, ...unserved.map(({ file }) => withoutRuntime(file))].sort(byFile);
  return { discover: true, files, reports, records: steps, diagnostics: all };
}

async function importSteps(plan: EnginePlan, files: readonly StepFile[], env: Environment): Promise<readonly StepFileReport[]> {
  if (files.length === 0) return [];
  const { root } = plan;
  const node = files.filter(({ file }) => isNodeStep(file));
  const python = files.filter(({ file }) => isPythonStep(file));
  const progress = process.stderr.isTTY ? new Progress('importing Steps') : undefined;
  const after = (before: number) => (file: string, done: number): void => progress?.update(`${before + done + 1}/${files.length} ${file}`);
  try {
    const reports = await probeSteps({ root, files: node, env, onFile: after(0) });
    return [...reports, ...await probePython({ root, files: python, env, python: namedPython(plan), onFile: after(node.length) })];
  } finally {
    progress?.clear();
  }
}

/** The interpreter that the configuration names. */
function namedPython(plan: EnginePlan): string | undefined {
  const adapter = plan.entries.flatMap((entry) => entry.adapters).find(({ spec }) => spec.id === PYTHON_RUNTIME);
  return (adapter?.config as { python?: string } | undefined)?.python;
}

function discoversSteps(plan: EnginePlan): boolean {
  const entry = plan.entries.find(({ instance }) => instance.classId === STEPS_MODULE);
  return entry !== undefined && entry.config['discover'] !== false;
}

/** Languages that the configuration's runtimes say they run. */
function languages(plan: EnginePlan): ReadonlySet<string> {
  const runtimes = plan.entries.flatMap((entry) => entry.adapters).filter(({ spec }) => spec.slot.id === RuntimeSlot.id);
  return new Set(runtimes.flatMap(({ capabilities }) => (capabilities as Partial<RuntimeCapabilities>).languages ?? []));
}

function languageOf(file: string): string {
  if (file.endsWith('.py')) return 'python';
  return /\.m?ts$/.test(file) ? 'typescript' : 'javascript';
}

function withoutRuntime(file: string): Diagnostic {
  const runtime = `modules::runtime::adapters::${file.endsWith('.py') ? 'Python' : 'Node'}`;
  return {
    severity: 'error', code: 'STEP_NO_RUNTIME', file, line: 1, message: 'no runtime of this config serves this file',
    remedy: `add ${runtime} to "runtimes" of ${STEPS_MODULE}`,
  };
}

function byFile(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}
