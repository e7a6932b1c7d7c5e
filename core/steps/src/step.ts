import type { StepConfig } from './config.js';
import type { ContextOf } from './step-context.js';
import type { StepInput } from './step-input.js';
import type { StepResult } from './result.js';

/** Type of the handler that belongs to a config: `export const handler: Handlers<typeof config> = async (input, ctx) => …`. */
export type Handlers<C extends StepConfig> =
  (input: StepInput<C>, ctx: ContextOf<C>) => StepResult<C> | Promise<StepResult<C>>;

/** A config with its handler. */
export interface Step<C extends StepConfig = StepConfig> {
  readonly config: C;
  readonly handler: Handlers<C>;
}

/**
 * Pairs a config with its handler: `export default step(…)` or `export const { config, handler } = step(…)`. The result
 * has a type parameter of its own, or literals such as `status: 201` would widen to `number`.
 */
export function step<const C extends StepConfig, const R extends StepResult<C>>(
  config: C, handler: (input: StepInput<C>, ctx: ContextOf<C>) => R | Promise<R>,
): Step<C> {
  return { config, handler };
}
