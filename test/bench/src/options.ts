import { parseArgs } from 'node:util';

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
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' }, generator: { type: 'string' } },
  });
  return {
    rounds: positive('rounds', values.rounds ?? '7'), seconds: positive('seconds', values.seconds ?? '1'),
    only: values.only ? values.only.split(',') : [], generator: generatorOf(values.generator ?? 'own'),
  };
}

function generatorOf(text: string): Generator {
  if (text !== 'own' && text !== 'wrk') throw new Error(`--generator must be own or wrk; got ${text}`);
  return text;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0; got ${text}`);
  return value;
}
