import type { StepFile, StepFileReport } from '@treadle/worker';

/** What the probe process is asked to do, sent once. */
export interface ProbeTask {
  /** Absolute. */
  readonly root: string;
  /** Absolute path of esbuild's main file. */
  readonly esbuild: string;
  readonly files: readonly StepFile[];
}

/** What the probe process says, in this order for each file. */
export type ProbeMessage =
  | { readonly kind: 'loading'; readonly file: string }
  | { readonly kind: 'report'; readonly report: StepFileReport };
