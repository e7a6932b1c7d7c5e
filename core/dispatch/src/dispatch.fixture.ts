import type { Call, InvokeRequest, StepFailure, StepRecord, Session } from '@treadle/api';

export class FakeSession implements Session {
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
