import { aboveZero, campaignOptions, oneOf } from '../../support/campaign.js';

export interface BenchOptions {
  readonly rounds: number;
  /** Length of a slice. */
  readonly seconds: number;
  /** Ids of contestants; empty: all. Baselines of the chosen ones always run. */
  readonly only: readonly string[];
  /** `own` is load-generator.mjs; `wrk` must be on the PATH. */
  readonly generator: Generator;
}

export type Generator = 'own' | 'wrk';

/** `--rounds 7 --seconds 1 --only worker,fastify --generator wrk`. @throws Error on anything else */
export function benchOptions(args: readonly string[]): BenchOptions {
  const { rounds, seconds, only, generator } = campaignOptions({ rounds: 7, seconds: 1, only: '', generator: 'own' }, args);
  aboveZero({ rounds, seconds });
  return { rounds, seconds, only: only === '' ? [] : only.split(','), generator: oneOf('generator', generator, ['own', 'wrk']) ?? 'own' };
}
