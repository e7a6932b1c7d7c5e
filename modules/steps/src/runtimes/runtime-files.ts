import { type InstanceId, type RuntimeAdapter, type StepFile, treadleError } from '@treadle/api';

/** One file for each form, to find overlapping runtimes before there is a file that shows it. */
const SAMPLES = [
  'steps/sample.step.ts', 'steps/sample.step.mts', 'steps/sample.step.js', 'steps/sample.step.mjs', 'steps/sample.step.cjs',
  'steps/sample_step.py', 'src/sample.stream.ts', 'src/sample.stream.js', 'src/sample_stream.py', 'src/sample.stream-auth.ts',
  'src/sample.stream-auth.js', 'src/sample_stream_auth.py', 'src/sample.middleware.ts', 'src/sample.middleware.js', 'src/sample_middleware.py',
  'src/sample.setup.ts', 'src/sample.setup.js', 'src/sample_setup.py', 'src/sample.env.ts', 'src/sample.env.js', 'src/sample_env.py',
];

/** Which runtime serves which file. */
export interface RuntimeFiles {
  readonly byRuntime: ReadonlyMap<RuntimeAdapter, readonly StepFile[]>;
  /** Files that none of the runtimes serves. */
  readonly unserved: readonly StepFile[];
}

/** Gives each file, of a Step or a stream, to the runtime that serves it. */
export function assignFiles(runtimes: readonly RuntimeAdapter[], files: readonly StepFile[]): RuntimeFiles {
  const byRuntime = new Map(runtimes.map((runtime) => [runtime, [] as StepFile[]]));
  const unserved: StepFile[] = [];
  for (const file of files) {
    const runtime = runtimes.find((candidate) => candidate.serves(file.file));
    if (runtime) byRuntime.get(runtime)?.push(file);
    else unserved.push(file);
  }
  return { byRuntime, unserved };
}

/** @throws {CONFIG_CONFLICT} when two runtimes would serve the same file */
export function refuseOverlap(runtimes: readonly RuntimeAdapter[], files: readonly StepFile[], instance: InstanceId): void {
  for (const file of [...files.map((step) => step.file), ...SAMPLES]) {
    const [first, second] = runtimes.filter((runtime) => runtime.serves(file));
    if (!first || !second) continue;
    throw treadleError('CONFIG_CONFLICT', {
      path: `${instance.path}.config.runtimes`, problem: `the runtimes "${first.name}" and "${second.name}" both serve ${file}`,
      hint: 'remove one of them',
    }, { at: instance.at, instance });
  }
}
