import type { Ctor, RuntimeAdapter } from '@treadle/api';
import type { Activity } from './activity.js';
import type { FakeTime } from './fake-time.js';
import type { ChosenSteps, StepFilter } from './step-selection.js';

/** What the Steps of a test engine find around them. */
export interface TestSurroundings {
  readonly chosen: ChosenSteps;
  /** Where transformed TypeScript is kept, so that the next start is quick. */
  readonly cacheDir: string;
  readonly time: FakeTime;
  readonly activity: Activity;
}

/** The Steps of a language, and who runs them for a test engine. */
export interface TestLanguage extends StepFilter {
  /** A runtime of one engine; loads everything before the engine counts as started. */
  readonly runtime: (around: TestSurroundings) => Ctor<RuntimeAdapter>;
  /** For Steps of another process: resolves when it answers, so that one that is held in a debugger does not count as silent. */
  readonly alive?: () => Promise<void>;
}
