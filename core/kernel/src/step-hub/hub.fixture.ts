import type { Call, Clock, InvokeRequest, StepFailure, StepRecord, WorkerSession } from '@treadle/api';

export class ManualClock implements Clock {
  private time = 0;
  private readonly timers = new Set<{ at: number; task: () => void }>();
  now = (): number => this.time;
  monotonic = (): number => this.time;
  after(ms: number, task: () => void) {
    const timer = { at: this.time + ms, task };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  }
  every(): never { throw new Error('not used'); }
  get pending(): number { return this.timers.size; }
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.task();
    }
    this.time = end;
  }
}

export class FakeSession implements WorkerSession {
  readonly runtime = 'node';
  readonly version = 'v0';
  readonly calls: Call[] = [];
  readonly cancelled: string[] = [];
  constructor(readonly id: string) {}
  send(call: Call): void { this.calls.push(call); }
  cancel(call: Call, reason: string): void { this.cancelled.push(`${call.id} ${reason}`); }
}

export const request = (over: Partial<InvokeRequest> = {}): InvokeRequest => ({
  step: 'A', trigger: { type: 'http', index: 0 }, input: {}, traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true,
  timeoutMs: 1000, attempt: 1, lane: 'request', waitMs: 0, ...over,
});
export const record = (id: string, configHash = '1', type = 'http'): StepRecord => ({
  id, config: { name: id, triggers: [{ type }] }, file: `steps/${id}.step.ts`, language: 'typescript', configHash,
});
export const failure = (promise: Promise<unknown>): Promise<StepFailure> => promise.then(
  () => { throw new Error('expected a failure'); }, (error: unknown) => error as StepFailure);
