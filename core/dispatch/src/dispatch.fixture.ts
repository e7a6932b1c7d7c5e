import type { Call, InvokeRequest, LogRecord, Session, SessionHandle, StepFailure, StepRecord } from '@treadle/api';
import { Dispatch } from './dispatch.js';
import { ManualClock } from './manual-clock.fixture.js';

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

interface TestDispatch {
  readonly clock: ManualClock;
  readonly dispatch: Dispatch;
  readonly records: LogRecord[];
  /** A session that serves these Steps. */
  readonly attach: (id: string, steps: string[]) => { readonly session: FakeSession; readonly handle: SessionHandle };
}

/** With the bare operation `kv.get`. */
export function testDispatch(): TestDispatch {
  const clock = new ManualClock();
  const records: LogRecord[] = [];
  const dispatch = new Dispatch({ clock, kinds: [], operations: [{ name: 'kv.get', summary: '', bare: true }], service: 's', log: { write: (r) => records.push(r) } });
  const attach: TestDispatch['attach'] = (id, steps) => {
    const session = new FakeSession(id);
    const handle = dispatch.sessions.attach(session);
    handle.serve(steps);
    return { session, handle };
  };
  return { clock, dispatch, records, attach };
}
