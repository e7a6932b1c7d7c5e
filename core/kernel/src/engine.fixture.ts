import type { LogLevel, Plugin, TreadleError } from '@treadle/api';
import { fakeClock, recordedLog, type FakeClock, type RecordedLog } from '@treadle/testing';
import { Engine } from './engine.js';
import type { EngineOptions } from './engine-reports.js';
import { ENGINE_VERSION, goodPlan, testFolder, type TestFolder } from './kernel.fixture.js';

/** An engine on a fake clock, in a folder of its own. */
export interface TestEngine {
  readonly engine: Engine;
  readonly clock: FakeClock;
  readonly log: RecordedLog;
  readonly folder: TestFolder;
  readonly fatals: TreadleError[];
  /** The modules of another configuration in the same folder. */
  reload(yaml: string): ReturnType<Engine['reload']>;
  /** Stops it when the test has not, and removes the folder. */
  end(): Promise<void>;
}

export const ALONE = 'implicit_modules: false';

/** A configuration with these entries and settings, and nothing that is added. */
export function configOf(entries: readonly string[], settings = ''): string {
  const list = entries.map((entry) => `  - ${entry.startsWith('{') ? entry : `class: ${entry}`}\n`).join('');
  return `engine: { ${[ALONE, settings].filter(Boolean).join(', ')} }\nmodules:\n${list}`;
}

export async function testEngine(
  yaml: string, plugins: readonly Plugin[], options: Partial<EngineOptions> & { readonly logLevel?: LogLevel } = {},
): Promise<TestEngine> {
  const folder = testFolder();
  const clock = fakeClock();
  const log = recordedLog();
  const fatals: TreadleError[] = [];
  const plan = await goodPlan(yaml, plugins, { folder });
  const engine = new Engine({
    plan, log, clock, engineVersion: ENGINE_VERSION, onFatal: (error) => fatals.push(error), ...options,
  });
  return {
    engine, clock, log, folder, fatals,
    reload: async (next) => engine.reload(await goodPlan(next, plugins, { folder })),
    end: async () => {
      await engine.stop({ signal: AbortSignal.abort() });
      folder.remove();
    },
  };
}

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<TreadleError> {
  return promise.then(() => {
    throw new Error('it was not rejected');
  }, (error: unknown) => error as TreadleError);
}

/** Never settles, whatever the signal says. */
export const forever = (): Promise<void> => new Promise(() => undefined);

/** Lets the event loop turn until something has happened. */
export async function waitUntil(condition: () => boolean, clock: { advance(ms: number): Promise<void> }): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    if (turns > 5_000) throw new Error('it did not happen');
    await clock.advance(0);
  }
}
