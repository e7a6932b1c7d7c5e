import type { Carried } from './carried-message.js';

/** Pushed by the server. */
export interface Pushed {
  readonly tag: number;
  readonly number: number;
  readonly message: Carried;
}

/** Claimed. `until`: end of the lease, by the engine's monotonic clock. */
export interface Held extends Pushed {
  readonly epoch: string;
  until: number;
}
