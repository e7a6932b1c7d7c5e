import { AdminError, type AdminRoutes, AdminStream, invalidArgument } from '@treadle/api';
import { shownText } from './input-parts.js';
import type { Replays } from './replays.js';

/** Undefined: inputs are not recorded. */
export function addReplayRoutes(routes: AdminRoutes, replays: Replays | undefined): void {
  const recording = (): Replays => {
    if (replays) return replays;
    throw new AdminError(404, 'not_recorded', 'inputs of handlers are recorded in development, and else with "record_inputs: true" in the configuration of modules::steps::StepsModule and an observability module');
  };
  routes.get('/inputs/:span', async ({ params: { span = '' } }) => {
    const { step, trigger, input } = recording().recorded(span);
    // Text, so that no digit changes.
    return new AdminStream('application/json', [`${JSON.stringify({ span, step, trigger: trigger.type }).slice(0, -1)},"input":${shownText(input)}}`]);
  }, [], 'What a run of a handler was started with, by its span', 'operator');
  routes.post('/replay', async ({ body }) => {
    const { span, input } = (body ?? {}) as { readonly span?: unknown; readonly input?: unknown };
    if (typeof span !== 'string') throw invalidArgument('"span" must be the id of a span of a handler');
    if (input !== undefined && typeof input !== 'string') throw invalidArgument('"input" must be the JSON of an input as a text');
    return recording().start(span, input);
  }, ['span', 'input'], 'Runs the Step of a span again with the recorded input or another one');
}
