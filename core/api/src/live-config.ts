import type { ConfigSchema } from './config-schema.js';

type Properties = NonNullable<ConfigSchema['properties']>;

/** Marks settings as ones that a reload changes in the running module. */
export function liveSettings(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, { ...schema, 'x-live': true }]));
}

/** A config that a reload may replace: whoever holds `now` sees the values that hold. */
export class LiveConfig<C extends object> {
  /** One object for ever; its members are those of the latest config. */
  readonly now: C;

  constructor(config: C) {
    this.now = { ...config };
  }

  /** Goes over to another config. A setting that it lacks becomes undefined. */
  set(next: C): void {
    // Not deleted: an object that has lost a member is slow to read from then on.
    for (const key of Object.keys(this.now)) if (!(key in next)) Object.assign(this.now, { [key]: undefined });
    Object.assign(this.now, next);
  }
}
