import type {
  CronOptions, HttpMethod, HttpOptions, OtherTrigger, QueueOptions, StateOptions, StreamOptions,
} from './triggers.js';
import type { Topic } from './topic.js';

/** No options given. */
type None = Record<never, never>;

/** A trigger for requests of `method` to `path`. */
export function http<const M extends HttpMethod, const P extends string, const O extends HttpOptions = None>(
  method: M, path: P, options?: O,
): { readonly type: 'http'; readonly method: M; readonly path: P } & O {
  return { ...(options as O), type: 'http', method, path };
}

/** A trigger for each message of a topic. */
export function queue<const T extends string | Topic, const O extends QueueOptions = None>(
  topic: T, options?: O,
): { readonly type: 'queue'; readonly topic: T } & O {
  return { ...(options as O), type: 'queue', topic };
}

/** A trigger at the times of a cron expression: 5 fields, 6 with seconds, 7 with seconds and year, or `@daily` and its like. */
export function cron<const E extends string, const O extends CronOptions = None>(
  expression: E, options?: O,
): { readonly type: 'cron'; readonly expression: E } & O {
  return { ...(options as O), type: 'cron', expression };
}

/** A trigger for changes of state; without options for every one. */
export function state<const O extends StateOptions = None>(options?: O): { readonly type: 'state' } & O {
  return { ...(options as O), type: 'state' };
}

/** A trigger for changes of a stream's items. */
export function stream<const N extends string, const O extends StreamOptions = None>(
  streamName: N, options?: O,
): { readonly type: 'stream'; readonly streamName: N } & O {
  return { ...(options as O), type: 'stream', streamName };
}

/** A trigger of a kind that a plugin brings without types. The engine checks its keys. */
export function trigger<const T extends string, const O extends Readonly<Record<string, unknown>> = None>(
  type: T, options?: O,
): { readonly type: T } & O & OtherTrigger {
  return { ...(options as O), type } as unknown as { readonly type: T } & O & OtherTrigger;
}
