import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { failure, request, TestSteps, type TestWorker, until } from '../steps.fixture.js';

describe('a session of the worker gateway carries', () => {
  let steps: TestSteps;
  let worker: TestWorker;
  beforeEach(async () => {
    steps = await TestSteps.start({ operations: [{ name: 'kv.get', summary: '' }] });
    worker = await steps.worker({ A: '/a' });
  });
  afterEach(() => steps.stop());

  it('a call there and its result back, one frame per turn', async () => {
    const frames: string[] = [];
    worker.socket.on('message', (data: Buffer) => frames.push(data.toString()));
    const answers = [steps.dispatch.invoker.invoke(request()), steps.dispatch.invoker.invoke(request({ input: 2 }))];
    const first = await worker.next('invoke');
    const second = await worker.next('invoke');
    expect(frames).to.have.length(1);
    expect(first).to.deep.equal({
      type: 'invoke', id: first.id, step: 'A', trigger: { type: 'http', index: 0 }, input: { method: 'GET' },
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, timeoutMs: 5000, attempt: 1,
    });
    worker.send(
      { type: 'result', id: second.id },
      { type: 'result', id: first.id, http: { status: 201, headers: { a: 'b' }, body: { kind: 'json', value: { x: 1 } } } },
      { type: 'result', id: 999 },
    );
    expect(await Promise.all(answers)).to.deep.equal([{ http: { status: 201, headers: { a: 'b' }, body: { kind: 'json', value: { x: 1 } } } }, {}]);
  });

  it('input that is JSON text already as it stands', async () => {
    const trigger = { type: 'queue', index: 1 };
    const answers = [steps.dispatch.invoker.invoke(request({ trigger, input: { n: 1 }, inputText: '{"n":1.0}' })), steps.dispatch.invoker.invoke(request({ input: 2 }))];
    const [first, second] = [await worker.next('invoke'), await worker.next('invoke')];
    expect(first).to.deep.equal({
      type: 'invoke', id: first.id, step: 'A', trigger, input: { n: 1 }, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, timeoutMs: 5000, attempt: 1,
    });
    worker.send({ type: 'result', id: first.id }, { type: 'result', id: second.id });
    await Promise.all(answers);
  });

  it('the text of an input without reading the input, which may be large', async () => {
    const unread = Object.defineProperty(request({ trigger: { type: 'queue', index: 0 }, inputText: '{"n":1}' }), 'input', { get: () => { throw new Error('it was read'); } });
    const answer = steps.dispatch.invoker.invoke(unread);
    const { id, input } = await worker.next('invoke');
    expect(input).to.deep.equal({ n: 1 });
    worker.send({ type: 'result', id });
    await answer;
  });

  for (const [runtime, sent] of [['node', 'as the client wrote it'], ['python', 'with the numbers that were validated']] as const) {
    it(`a JSON body to ${runtime} ${sent}`, async () => {
      const other = await steps.worker({ B: '/b' }, { runtime });
      const frames: string[] = [];
      other.socket.on('message', (data: Buffer) => frames.push(data.toString()));
      const input = { method: 'POST', path: '/b', headers: { a: '"' }, body: { kind: 'json', value: { n: 1e21 } } };
      const bodyText = '{"n": 1000000000000000000000}';
      const answer = steps.dispatch.invoker.invoke(request({ step: 'B', input, bodyText }));
      const invoke = await other.next('invoke');
      expect(invoke.input).to.deep.equal(input);
      expect(frames.join('')).to.contain(runtime === 'node' ? bodyText : '{"n":1e+21}');
      other.send({ type: 'result', id: invoke.id });
      await answer;
    });
  }

  it('what a function of a declaration gave back', async () => {
    const answers = [steps.dispatch.invoker.invoke(request()), steps.dispatch.invoker.invoke(request())];
    const [first, second] = [await worker.next('invoke'), await worker.next('invoke')];
    worker.send({ type: 'result', id: first.id, value: { user: 1 } }, { type: 'result', id: second.id, value: null });
    expect(await Promise.all(answers)).to.deep.equal([{ value: { user: 1 } }, { value: null }]);
  });

  it('JSON as its text, which is passed on as it came', async () => {
    const answer = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'json', text: '{"n": 1.0}' } } });
    expect((await answer).http?.body).to.deep.equal({ kind: 'json', text: '{"n": 1.0}' });
  });

  it('bytes as base64', async () => {
    const answer = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'base64', value: 'aGk=' } } });
    expect((await answer).http?.body).to.deep.equal({ kind: 'bytes', value: Buffer.from('hi') });
  });

  it('a failure with what the handler threw', async () => {
    const answer = failure(steps.dispatch.invoker.invoke(request()));
    const { id } = await worker.next('invoke');
    worker.send({ type: 'error', id, code: 'unhandled_exception', message: 'boom', name: 'TypeError', stack: 's', nonRetryable: true, retryAfterMs: 5 });
    expect(await answer).to.deep.include({
      code: 'unhandled_exception', message: 'boom', detail: { errorName: 'TypeError', stack: 's', nonRetryable: true, retryAfterMs: 5 },
    });
  });

  it('streams in both directions, within their credits', async () => {
    const body = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024, 'x')));
    const answer = steps.dispatch.invoker.invoke(request({ streams: [body], input: { body: { kind: 'stream', stream: 0, as: 'bytes' } } }));
    const { id, streams } = await worker.next('invoke');
    const up = streams?.[0] ?? -1;
    expect(up % 2).to.equal(0);
    let bytes = 0;
    for (let chunks = 1; ; chunks++) {
      const chunk = await worker.next('chunk');
      bytes += Buffer.from(chunk.data, 'base64').length;
      if (chunk.end) break;
      expect(chunks).to.be.lessThan(42);
      if (chunks % 8 === 0) worker.send({ type: 'credit', stream: up, chunks: 8 });
    }
    expect(bytes).to.equal(40 * 64 * 1024);
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1 } } }, { type: 'chunk', stream: 1, data: 'aGVs' });
    worker.send({ type: 'chunk', stream: 1, data: 'bG8=', end: true });
    expect(await text((await answer).http?.stream as Readable)).to.equal('hello');
  });

  for (const [as, kind] of [['json', 'encoded'], ['text', 'encoded'], ['bytes', 'bytes']] as const) {
    it(`a large body as a stream that is put together again: ${as}`, async () => {
      const answer = steps.dispatch.invoker.invoke(request());
      const { id } = await worker.next('invoke');
      const bytes = Buffer.from('{"ä":1}');
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1, as, bytes: bytes.length } } });
      // The first piece ends within a character.
      worker.send({ type: 'chunk', stream: 1, data: bytes.subarray(0, 3).toString('base64') }, { type: 'chunk', stream: 1, data: bytes.subarray(3).toString('base64'), end: true });
      expect((await answer).http).to.deep.equal({ status: 200, body: { ...(kind === 'encoded' ? { kind, as } : { kind }), value: bytes } });
    });
  }

  it('a large body for which there is no room: the call is refused and the worker told to drop it', async () => {
    const asked: number[] = [];
    const failed = new Promise<StepFailure>((resolve) => {
      steps.dispatch.invoker.start(request(), { admits: (bytes) => asked.push(bytes) === 0, succeeded: () => undefined, failed: resolve });
    });
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1, as: 'json', bytes: 5_000_000 } } });
    expect(await worker.next('credit')).to.deep.equal({ type: 'credit', stream: 1, chunks: 0 });
    expect([(await failed).code, asked]).to.deep.equal(['overloaded', [5_000_000]]);
  });

  for (const [title, bytes, chunk, message] of [
    ['larger than any may be', 10 * 1024 * 1024 + 1, '', 'the body has 10485761 bytes; stream what exceeds 10485760'],
    ['that has more bytes than were announced', 2, 'aGVsbG8=', 'the body has more than the 2 bytes that it may have; answer with streamed()'],
  ] as const) {
    it(`a large body ${title}: the handler is at fault`, async () => {
      const answer = steps.dispatch.invoker.invoke(request()).catch((error: unknown) => error);
      const { id } = await worker.next('invoke');
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1, as: 'bytes', bytes } } }, { type: 'chunk', stream: 1, data: chunk });
      expect(await answer).to.include({ code: 'invalid_handler_result', message });
    });
  }

  it('a stream whose reader leaves: the worker is told to drop it', async () => {
    const answer = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1 } } });
    (await answer).http?.stream?.destroy();
    expect(await worker.next('credit')).to.deep.equal({ type: 'credit', stream: 1, chunks: 0 });
  });

  it('operations of a running call, and refuses those of others', async () => {
    steps.dispatch.operations.bind('kv.get', (args) => Promise.resolve({ got: args }));
    const answer = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    worker.send({ type: 'call', call: 1, id, op: 'kv.get', args: 'k' }, { type: 'call', call: 2, id: id + 5, op: 'kv.get' });
    const replies = [await worker.next('reply'), await worker.next('reply')].sort((a, b) => a.call - b.call);
    expect(replies[0]).to.deep.equal({ type: 'reply', call: 1, value: { got: 'k' } });
    expect(replies[1]?.error?.code).to.equal('StaleDelivery');
    worker.send({ type: 'result', id });
    await answer;
  });

  it('the error of an operation whose result cannot be written', async () => {
    steps.dispatch.operations.bind('kv.get', () => Promise.resolve(10n));
    void steps.dispatch.invoker.invoke(request()).catch(() => undefined);
    const { id } = await worker.next('invoke');
    worker.send({ type: 'call', call: 1, id, op: 'kv.get' });
    expect((await worker.next('reply')).error?.code).to.equal('UNWRITABLE_RESULT');
  });

  it('only the failure of a call whose input cannot be written', async () => {
    const good = steps.dispatch.invoker.invoke(request());
    expect((await failure(steps.dispatch.invoker.invoke(request({ input: 10n })))).message).to.match(/^the input cannot be written as JSON/);
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id });
    expect(await good).to.deep.equal({});
  });

  it('a cancellation, and ignores the result that crosses it', async () => {
    const wanted = request();
    const answer = failure(steps.dispatch.invoker.invoke(wanted));
    const { id } = await worker.next('invoke');
    steps.dispatch.invoker.cancel(wanted, 'client_gone');
    expect(await worker.next('cancel')).to.deep.equal({ type: 'cancel', id, reason: 'client_gone' });
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 3 } } });
    expect(await worker.next('credit')).to.deep.equal({ type: 'credit', stream: 3, chunks: 0 });
    expect((await answer).code).to.equal('cancelled');
  });

  it('log records in the name of their call', async () => {
    void steps.dispatch.invoker.invoke(request()).catch(() => undefined);
    const { id } = await worker.next('invoke');
    worker.send({ type: 'log', id, time: 0, level: 'warn', message: 'hi', fields: { a: 1 } }, { type: 'log', time: 0, level: 'info', message: 'out' });
    await until(() => steps.records.length === 2);
    expect(steps.records[0]).to.deep.include({ level: 'warn', message: 'hi', stepName: 'A', traceId: 'a'.repeat(32), fields: { a: 1 } });
    expect(steps.records[1]).to.deep.include({ message: 'out', stepName: '' });
  });

  it('the loss of a worker: its calls fail at once and its streams break', async () => {
    const streaming = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1 } } });
    const stream = (await streaming).http?.stream as Readable;
    const broken = failure(text(stream));
    const waiting = failure(steps.dispatch.invoker.invoke(request()));
    worker.socket.terminate();
    expect((await waiting).code).to.equal('worker_lost');
    expect((await broken).message).to.match(/^the worker was lost/);
  });

  describe('the end of its process', () => {
    const died = async (end: () => void): Promise<boolean | undefined> => {
      const lost = failure(steps.dispatch.invoker.invoke(request({ lane: 'delivery' })));
      await worker.next('invoke');
      end();
      return ((await lost) as StepFailure).detail.workerDied;
    };

    it('as its death when it goes without a word', async () => {
      expect(await died(() => worker.socket.terminate())).to.equal(true);
    });

    it('as no death when it says goodbye or breaks the protocol', async () => {
      expect(await died(() => worker.socket.close(1000))).to.equal(false);
      worker = await steps.worker({ A: '/a' });
      expect(await died(() => worker.socket.send('{'))).to.equal(false);
      worker = await steps.worker({ A: '/a' });
      expect(await died(() => worker.socket.send(Buffer.alloc(17 * 1024 * 1024, 32).toString()))).to.equal(false);
    });

    it('as no death when it was asked to go', async () => {
      const stopping = steps.module.drain({ log: { warn: () => undefined } as never, signal: AbortSignal.timeout(50) } as never);
      const lost = await died(() => void worker.next('drain').then(() => worker.socket.terminate()));
      await stopping;
      expect(lost).to.equal(false);
    });
  });
});
