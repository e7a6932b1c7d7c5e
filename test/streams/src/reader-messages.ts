/** Which readers a process has: the first ones stall; they and as many others follow what is sent in bulk, too. */
export interface Crowd {
  readonly port: number;
  readonly clients: number;
  readonly bulk: number;
  readonly stalled: number;
}

/** What a process of readers is asked. */
export type ReaderQuestion =
  | ({ readonly type: 'join' } & Crowd)
  | { readonly type: 'stall' | 'wake' | 'report' };

/** What has come so far. */
export interface ReaderReport {
  /** Of those that read: how many there are, have everything, and are disconnected. */
  readonly reading: number;
  readonly complete: number;
  readonly disconnected: number;
  /** Of those that stopped reading: how many found themselves disconnected when they were woken. */
  readonly stalledDisconnected: number;
  readonly events: number;
  /** What was wrong with what came; a few of each reader's. */
  readonly faults: readonly string[];
  /** Of the group that all follow, by the millisecond. */
  readonly latencies: readonly number[];
}
