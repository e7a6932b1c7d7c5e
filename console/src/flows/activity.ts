/** What `GET /traces/activity` of the observability module answers. */
export interface Activity {
  readonly items: readonly StepActivity[];
  readonly spans: number;
  readonly from?: number;
}

export interface StepActivity {
  readonly step: string;
  readonly runs: { readonly count: number; readonly errors: number; readonly p50Ms: number; readonly p95Ms: number; readonly lastAt: number };
  readonly enqueued: Readonly<Record<string, number>>;
  readonly consumed: Readonly<Record<string, number>>;
  readonly stateGroups: Readonly<Record<string, number>>;
  readonly streams: Readonly<Record<string, number>>;
}

export const NO_ACTIVITY: Activity = { items: [], spans: 0 };
