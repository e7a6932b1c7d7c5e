import type { StepConfig } from './config.js';
import type { StepContext } from './context.js';
import type { StepInput } from './input.js';
import type { StepResult } from './result.js';

/** Type of the handler that belongs to a config: `export const handler: Handlers<typeof config> = async (input, ctx) => …`. */
export type Handlers<C extends StepConfig> =
  (input: StepInput<C>, ctx: StepContext<C>) => StepResult<C> | Promise<StepResult<C>>;

/** A config with its handler. */
export interface Step<C extends StepConfig = StepConfig> {
  readonly config: C;
  readonly handler: Handlers<C>;
}

/** Pairs a config with its handler: `export default step(…)` or `export const { config, handler } = step(…)`. */
export function step<const C extends StepConfig>(config: C, handler: Handlers<C>): Step<C> {
  return { config, handler };
}
