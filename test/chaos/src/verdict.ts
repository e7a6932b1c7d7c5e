/** What the checker finds in a history. */
export interface Verdict {
  /** Messages that producers tried to send. */
  readonly attempted: number;
  readonly acknowledged: number;
  /** Answered with an error that says that nothing was stored. */
  readonly refused: number;
  /** No answer, or one that leaves open what was stored. */
  readonly unknown: number;
  /** Handler runs that began. */
  readonly executions: number;
  /** Of these the ones that threw, as planned. */
  readonly failed: number;
  /** Messages whose every stage ran to its end. */
  readonly executed: number;
  /** Acknowledged and not executed. */
  readonly lost: number;
  /** Unknown and executed. */
  readonly recovered: number;
  /** Executed although refused, or sent by nobody. */
  readonly unexpected: number;
  /** Runs of something that had begun before. */
  readonly duplicated: number;
  /** Of these the ones that no kill explains. */
  readonly duplicatedWithoutCause: number;
  readonly engineKills: number;
  readonly workerKills: number;
  readonly killsWithMoreDuplicatesThanInFlight: number;
  readonly inFlight: Distribution;
  readonly running: Distribution;
  readonly duplicatedPerKill: Distribution;
  /** Longest time before a kill that something had ended of which the store had no end. */
  readonly longestUnsettledMs: number;
  /** Runs that a killed worker took with it and that never began again. */
  readonly neverRedelivered: number;
  readonly orderViolations: number;
  /** Two messages of a key at the same time. */
  readonly overlaps: number;
  readonly keys: number;
  /** Calls of superseded runs that were accepted. */
  readonly staleEffects: number;
  /** Calls of superseded runs that were refused. */
  readonly refusedStale: number;
  /** Messages sent after the last fault. */
  readonly tailAttempted: number;
  readonly tailAcknowledged: number;
  readonly latencies: { readonly redelivery: Latency; readonly firstDelivery: Latency };
  readonly examples: unknown;
}

export interface Distribution {
  readonly total: number;
  readonly most: number;
}

export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Ends go out with the next commit, however slow the disk is; an engine that holds them back longer repeats more than it has to. */
const MOST_UNSETTLED_MS = 10_000;

/** What a sound engine must not show; empty when there is nothing. */
export function faultsIn(verdict: Verdict): readonly string[] {
  const none = ['lost', 'unexpected', 'duplicatedWithoutCause', 'killsWithMoreDuplicatesThanInFlight', 'neverRedelivered', 'orderViolations', 'overlaps', 'staleEffects'] as const;
  const found = none.filter((name) => verdict[name] > 0).map((name) => `${name}: ${verdict[name]}`);
  if (verdict.longestUnsettledMs > MOST_UNSETTLED_MS) found.push(`ends that were not written after ${verdict.longestUnsettledMs} ms`);
  if (verdict.tailAcknowledged < verdict.tailAttempted) found.push(`after the last fault ${verdict.tailAcknowledged} of ${verdict.tailAttempted} were acknowledged`);
  return found;
}
