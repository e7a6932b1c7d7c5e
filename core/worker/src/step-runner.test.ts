import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { HandlerExit, NonRetryableError, OperationError, RetryAfter, sse, streamed, type SseSend, type StepContext } from 'treadle';
import { guardExit } from './exit-guard.js';
import { bench, httpInput, serve, TRACEPARENT, type Bench } from './runner.fixture.js';
import type { RunOutcome } from './running/invoke.js';

async function text(stream: Readable | undefined): Promise<string> {
  const parts: string[] = [];
  if (stream) for await (const part of stream) parts.push(String(part));
  return parts.join('');
}

/** Starts Step A under a known id. */
function start(made: Bench, id: number): Promise<RunOutcome> {
  return made.run('A', { id, input: httpInput() });
}

describe('StepRunner', () => {
  it('answers no_worker for a Step or trigger that it does not serve', async () => {
    const made = await serve(() => undefined);
    expect(await made.failure('B')).to.deep.equal({ ok: false, code: 'no_worker', message: 'this worker does not serve Step "B"' });
    const queue = await made.failure('A', { trigger: { type: 'queue', index: 0 } });
    expect(queue.message).to.equal('Step "A" has no queue trigger at 0 in this worker');
  });

  it('tells what a handler threw, before or after it awaited', async () => {
    for (const handler of [() => { throw new RangeError('too much'); }, async () => { await Promise.resolve(); throw new RangeError('too much'); }]) {
      const { stack, ...rest } = await (await serve(handler)).failure('A');
      expect(rest).to.deep.equal({ ok: false, code: 'unhandled_exception', message: 'too much', name: 'RangeError' });
      expect(stack).to.contain('step-runner.test');
    }
  });

  it('survives anything that is thrown', async () => {
    const hostile = Object.create(Error.prototype, { message: { get: () => { throw new Error('trap'); } } }) as object;
    const thrown: [unknown, string][] = [['text', 'text'], [undefined, 'undefined'], [{ a: 1 }, '{ a: 1 }'], [hostile, 'an error that cannot be read']];
    for (const [value, message] of thrown) expect((await (await serve(() => Promise.reject(value))).failure('A')).message).to.equal(message);
  });

  it('cuts what does not fit into a message', async () => {
    const { message, stack } = await (await serve(() => { throw new Error('x'.repeat(1e7)); })).failure('A');
    expect([message.length, stack?.length]).to.deep.equal([16_384, 16_384]);
  });

  it('tells of NonRetryableError, RetryAfter and which operation refused', async () => {
    expect(await (await serve(() => { throw new NonRetryableError('never'); })).failure('A')).to.include({ nonRetryable: true, message: 'never' });
    expect(await (await serve(() => { throw new RetryAfter(1500); })).failure('A')).to.include({ retryAfterMs: 1500 });
    expect(await (await serve(() => { throw new OperationError('QueueFull', 'no room'); })).failure('A')).to.include({ name: 'QueueFull', message: 'no room' });
  });

  it('calls done once per start and counts what runs', async () => {
    const made = await serve(() => new Promise((resolve) => setTimeout(() => resolve({ status: 200 }), 5)));
    const all = Array.from({ length: 20 }, () => made.run('A'));
    expect(made.runner.running).to.equal(20);
    await made.runner.idle();
    expect((await Promise.all(all)).every(({ ok }) => ok)).to.equal(true);
    expect(made.runner.running).to.equal(0);
    await made.runner.idle();
  });

  it('tells the trace of what a handler logs once it has answered or was cancelled', async () => {
    let later: () => void = () => undefined;
    const made = await serve((_input: unknown, { logger, attempt }: StepContext) => {
      later = () => logger.info('late');
      if (attempt === 1) logger.info('in time');
      return attempt === 2 ? new Promise<void>((resolve) => setImmediate(resolve)) : undefined;
    });
    await made.run('A');
    later();
    const cancelled = made.run('A', { id: 1010, attempt: 2 });
    made.runner.cancel(1010, 'timeout');
    later();
    await cancelled;
    expect(made.logs.map(({ message, stepName, traceparent }) => [message, stepName, traceparent])).to.deep.equal([
      ['in time', 'A', undefined], ['late', 'A', TRACEPARENT], ['late', 'A', TRACEPARENT],
    ]);
  });

  it('aborts the signal on cancel, whether it was looked at before or after', async () => {
    const seen: unknown[] = [];
    const made = await serve(async (_input: unknown, ctx: StepContext) => {
      if (ctx.attempt === 1) ctx.signal.addEventListener('abort', () => seen.push((ctx.signal.reason as Error).name));
      await new Promise((resolve) => setTimeout(resolve, 10));
      seen.push(ctx.signal.aborted, (ctx.signal.reason as Error).message);
    });
    const first = start(made, 1001);
    made.runner.cancel(1001, 'timeout');
    made.runner.cancel(1001, 'client_gone');
    made.runner.cancel(999_999, 'timeout');
    await first;
    expect(seen.splice(0)).to.deep.equal(['TimeoutError', true, 'the handler is over its time']);
    const second = made.run('A', { id: 1002, attempt: 2 });
    made.runner.cancelAll('client_gone');
    await second;
    expect(seen).to.deep.equal([true, 'the handler was cancelled: client_gone']);
  });

  it('tells a delivery that was asked to give up as done only when its handler could not know', async () => {
    const made = bench();
    const triggers = [{ type: 'queue', topic: 't' }];
    const handler = async (_input: unknown, ctx: StepContext): Promise<void> => {
      if (ctx.attempt === 2) expect(ctx.signal.aborted).to.equal(false);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await made.runner.adopt([{ file: 'a.step.ts', exports: { config: { name: 'A', triggers }, handler } }]);
    const outcomes = [1, 2].map((attempt) => made.run('A', { id: 2000 + attempt, attempt, trigger: { type: 'queue', index: 0 } }));
    made.runner.cancelAll('drain');
    const [blind, warned] = await Promise.all(outcomes);
    expect(blind).to.deep.equal({ ok: true });
    expect(warned).to.include({ ok: false, name: 'AbortError', message: 'the handler was cancelled: drain' });
  });
});

describe('streamed answers', () => {
  it('of sse() are events, with names, ids and comments', async () => {
    const made = await serve(() => sse(async (send: SseSend) => {
      await send('plain\ntwo lines');
      await send({ n: 1 }, { event: 'tick\nid: forged', id: '7', retryMs: 500 });
      await send.comment('still here');
    }));
    const { status, headers, stream } = await made.http('A');
    expect(status).to.equal(200);
    expect(headers).to.include({ 'content-type': 'text/event-stream' });
    expect(await text(stream)).to.equal('data: plain\ndata: two lines\n\nevent: tick id: forged\nid: 7\nretry: 500\ndata: {"n":1}\n\n: still here\n\n');
  });

  it('run on until their stream has ended', async () => {
    const made = await serve(() => sse(async (send: SseSend) => { await send(1); }));
    const { stream } = await made.http('A');
    expect(made.runner.running).to.equal(1);
    await text(stream);
    await made.runner.idle();
  });

  it('make the producer wait for the reader', async () => {
    let sent = 0;
    const made = await serve(() => sse(async (send: SseSend) => {
      for (; sent < 100; sent++) await send('x'.repeat(10_000));
    }));
    const { stream } = await made.http('A');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).to.be.lessThan(10);
    await text(stream);
    expect(sent).to.equal(100);
  });

  it('keep events that nobody awaits, in order, and end after them', async () => {
    const made = await serve(() => sse((send: SseSend) => {
      for (let n = 0; n < 5_000; n++) void send('x'.repeat(100) + String(n));
    }));
    const { stream } = await made.http('A');
    const events = (await text(stream)).split('\n\n').slice(0, -1);
    expect(events).to.have.length(5_000);
    events.forEach((event, n) => expect(event).to.equal(`data: ${'x'.repeat(100)}${n}`));
    await made.runner.idle();
    expect(made.logs).to.deep.equal([]);
  });

  it('fail when more events wait than they may, and the log says what to do', async () => {
    let refused: unknown;
    let sent = 0;
    const made = await serve(() => sse(async (send: SseSend) => {
      for (; sent < 100_000 && refused === undefined; sent++) {
        send('x'.repeat(1000)).catch((error: unknown) => { refused = error; });
        if (sent % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
      }
    }));
    const { stream } = await made.http('A');
    const [error] = (await once(stream!, 'error')) as [Error];
    expect(error.message).to.equal('the producer of server-sent events failed');
    await made.runner.idle();
    expect(sent).to.be.within(1_000, 10_000);
    expect(String(refused)).to.contain('the client has gone');
    expect(made.logs).to.have.length(1);
    expect(JSON.stringify(made.logs[0]?.fields)).to.contain('Step \\"A\\" sent events faster than its client reads').and.contain('await send()');
  });

  it('share what events may take, and each may have a little', async () => {
    let failed = 0;
    const produce = (send: SseSend, events: number): Promise<void> => {
      for (let n = 0; n < events; n++) void send('x'.repeat(10_000)).catch(() => undefined);
      return new Promise(() => undefined);
    };
    const made = await serve((input: { request: { queryParams: { events: string } } }) => sse((send: SseSend) => produce(send, Number(input.request.queryParams.events))));
    const open = async (events: number): Promise<void> => {
      const { stream } = await made.http('A', { query: { events: [String(events)] } });
      stream?.on('error', () => failed++);
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (let n = 0; n < 17; n++) await open(190);
    expect(failed).to.equal(0);
    await open(190);
    expect(failed).to.equal(1);
    await open(4);
    expect(failed).to.equal(1);
    made.runner.cancelAll('client_gone');
    await made.runner.idle();
    await open(190);
    expect(failed).to.equal(1);
    made.runner.cancelAll('client_gone');
  });

  it('end with the client: the signal aborts and send rejects', async () => {
    const seen: unknown[] = [];
    const made = await serve((_input: unknown, ctx: StepContext) => sse(async (send: SseSend) => {
      ctx.signal.addEventListener('abort', () => seen.push('aborted'));
      expect(send.signal).to.equal(ctx.signal);
      try {
        for (;;) await send('x'.repeat(20_000));
      } catch (error) {
        seen.push((error as Error).message);
        throw error;
      }
    }));
    const { stream } = await made.http('A');
    stream?.destroy();
    await made.runner.idle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.sort()).to.deep.equal(['aborted', 'the client has gone']);
    expect(made.logs).to.deep.equal([]);
  });

  it('fail when the producer throws, and the log says why', async () => {
    const made = await serve(() => sse(async (send: SseSend) => { await send(1); throw new Error('source lost'); }));
    const { stream } = await made.http('A');
    const [error] = (await once(stream!.resume(), 'error')) as [Error];
    expect(error.message).to.equal('the producer of server-sent events failed');
    expect(made.logs[0]).to.include({ level: 'error', message: 'a streamed answer failed', stepName: 'A' });
    expect(JSON.stringify(made.logs[0]?.fields)).to.contain('source lost');
  });

  it('of streamed() carry readables, iterables and web streams', async () => {
    const sources = [Readable.from([Buffer.from('ab'), Buffer.from('c')]), ['a', 'bc'], new Blob(['abc']).stream()];
    for (const source of sources) {
      const made = await serve(() => streamed(source as Readable, { headers: { 'content-type': 'text/csv' } }));
      const { headers, stream } = await made.http('A');
      expect(headers).to.deep.equal({ 'content-type': 'text/csv' });
      expect(await text(stream)).to.equal('abc');
    }
  });

  it('are destroyed by cancel', async () => {
    const source = new PassThrough();
    const made = await serve(() => streamed(source));
    const outcome = await start(made, 1010);
    expect(outcome.ok).to.equal(true);
    made.runner.cancel(1010, 'client_gone');
    await made.runner.idle();
    expect(source.destroyed).to.equal(true);
  });
});

describe('Steps inside the engine', () => {
  it('cannot end the process: exit and abort throw HandlerExit', async () => {
    const made = bench({ inProcess: true });
    const seen: unknown[] = [];
    // eslint-disable-next-line no-restricted-syntax -- what must not end the process
    const calls = [() => process.exit(3), () => process.abort(), () => { process.exitCode = undefined; throw new Error('own'); }];
    await made.runner.adopt(calls.map((call, n) => ({
      file: String(n), exports: { config: { name: `S${n}`, triggers: [{ type: 'http', method: 'GET', path: `/${n}` }] }, handler: async () => {
        await Promise.resolve(n);
        try {
          call();
        } catch (error) {
          seen.push(error instanceof HandlerExit ? (error as HandlerExit).exitCode : 'other');
          throw error;
        }
      } },
    })));
    const failures = [];
    for (const n of [0, 1, 2]) failures.push(await made.failure(`S${n}`));
    expect(seen).to.deep.equal([3, undefined, 'other']);
    expect(failures.map(({ name }) => name)).to.deep.equal(['HandlerExit', 'HandlerExit', 'Error']);
    expect(guardExit().running).to.equal(0);
    expect(failures[0]?.message).to.equal('the handler called process.exit, which would end a process that other Steps run in; throw an error instead');
  });
});
