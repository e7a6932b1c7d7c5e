import type { AdminRequest } from '@treadle/api';
import { expect } from 'chai';
import { REQUEST, span, TRACE } from '../span.fixture.js';
import { AdminRig } from './admin-rig.fixture.js';
import { MAX_FOLLOWED } from './log-routes.js';

describe('followers of traces and of the log', () => {
  let rig: AdminRig;
  beforeEach(() => {
    rig = new AdminRig();
    for (const one of REQUEST) rig.store.spans.add(one);
  });

  it('follow traces whose spans end, without anything in between', async () => {
    const seen: { traceId: string; spans: number }[] = [];
    const leave = rig.follow({ q: 'step:Notify' }, (event) => seen.push(event as (typeof seen)[number]), 'traces');
    await rig.clock.advance(1000);
    expect(seen).to.deep.equal([]);
    rig.store.spans.add(span(40, { parent: 8 }));
    rig.store.spans.add(span(41, { parent: 8 }));
    rig.store.spans.add(span(42, { traceId: 'd'.repeat(32) }));
    await rig.clock.advance(1000);
    expect(seen.map(({ traceId, spans }) => [traceId, spans])).to.deep.equal([[TRACE, 10]]);
    leave();
    rig.store.spans.add(span(43, { parent: 8 }));
    await rig.clock.advance(1000);
    expect(seen).to.have.length(1);
  });

  it('tell a follower first what ended since the list that it has', async () => {
    const { end } = await rig.call('GET /traces') as unknown as { readonly end: number };
    rig.store.spans.add(span(40, { traceId: 'd'.repeat(32) }));
    const seen: [string, string][] = [];
    const follow = (name: string, since: number): (() => void) => rig.follow({ since: String(since) }, (event) => seen.push([name, (event as { readonly traceId: string }).traceId[0] ?? '']), 'traces');
    follow('first', end);
    follow('second', end + 1);
    rig.store.spans.add(span(41, { traceId: 'e'.repeat(32) }));
    await rig.clock.advance(250);
    expect(seen).to.deep.equal([['first', 'd'], ['first', 'e'], ['second', 'e']]);
  });

  it('send the latest traces of too many, after the number of those that are left out', async () => {
    const seen: unknown[] = [];
    const send = (event: { readonly traceId?: string; readonly dropped?: number }): void => void seen.push(event.dropped ?? event.traceId?.[0]);
    for (const query of [{ limit: '2' }, { limit: '1', q: 'name:*c' }]) rig.follow(query, send as (event: unknown) => void, 'traces');
    for (const digit of ['b', 'c', 'd', 'e']) rig.store.spans.add(span(40, { traceId: digit.repeat(32), name: digit === 'd' ? 'abc' : digit }));
    await rig.clock.advance(250);
    expect(seen).to.deep.equal([2, 'd', 'e', 1, 'd']);
    expect((await rig.call('GET /telemetry'))['notes']).to.deep.equal({ traces: undefined, logs: undefined });
    expect((await new AdminRig({ enabled: false }).call('GET /telemetry'))['notes']).to.deep.equal({ traces: 'telemetry is off (enabled: false)', logs: 'telemetry is off (enabled: false)' });
  });

  it('send the log as it comes, and how much was left out', async () => {
    const heard: Record<string, unknown>[] = [];
    const leave = rig.follow({ level: 'error' }, (event) => heard.push(event as Record<string, unknown>));
    rig.log('no');
    for (let at = 0; at < MAX_FOLLOWED + 50; at += 1) rig.log(`yes ${at}`, 'error');
    expect(heard).to.have.length(MAX_FOLLOWED);
    await rig.clock.advance(1000);
    expect(heard.at(-1)).to.deep.equal({ dropped: 50 });
    rig.log('again', 'error');
    expect(heard.at(-1)).to.include({ message: 'again' });
    leave();
    rig.log('unheard', 'error');
    expect(heard).to.have.length(MAX_FOLLOWED + 2);
    expect(rig.clock.pending).to.equal(0);
  });

  it('hold a follower to so much a second whenever it came, and let pass what is late', async () => {
    await rig.clock.advance(500);
    const heard: Record<string, unknown>[] = [];
    const leave = rig.follow({}, (event) => heard.push(event as Record<string, unknown>));
    const log = async (most: number): Promise<void> => {
      for (let at = 0; at < most; at += 1) rig.log('much');
      await rig.clock.advance(100);
    };
    for (let tenth = 0; tenth < 50; tenth += 1) await log(MAX_FOLLOWED / 5);
    const sent = (): number => heard.filter(({ message }) => message === 'much').length;
    expect(sent()).to.be.within(5 * MAX_FOLLOWED, 6 * MAX_FOLLOWED);
    expect(heard.reduce((sum, { dropped }) => sum + Number(dropped ?? 0), sent())).to.be.within(10 * MAX_FOLLOWED - MAX_FOLLOWED / 5, 10 * MAX_FOLLOWED);
    await rig.clock.advance(2_000);
    const before = [sent(), heard.length];
    for (const late of [0, 0, 0, 0, 0, 0, 0, 0, 0, MAX_FOLLOWED, MAX_FOLLOWED]) await log(late);
    expect([sent(), heard.length]).to.deep.equal(before.map((count) => count + 2 * MAX_FOLLOWED));
    leave();
  });

  it('send the last records first when a follower wants them', () => {
    for (const message of ['one', 'two', 'three']) rig.log(message, message === 'two' ? 'info' : 'error');
    const heard: unknown[] = [];
    rig.follow({ tail: '2', level: 'error' }, (event) => heard.push((event as { readonly message: string }).message))();
    expect(heard).to.deep.equal(['one', 'three']);
  });

  it('send those after a record to a follower that has it', async () => {
    for (const message of ['one', 'two', 'three', 'four']) rig.log(message, message === 'two' ? 'info' : 'error');
    const { items } = await rig.call('GET /logs') as unknown as { readonly items: readonly { readonly id: number }[] };
    const heard = (query: AdminRequest['query']): readonly unknown[] => {
      const all: unknown[] = [];
      rig.follow(query, (event) => {
        const { message, dropped } = event as { readonly message?: string; readonly dropped?: number };
        all.push(message ?? dropped);
      })();
      return all;
    };
    const since = String(items.at(-1)?.id);
    expect([heard({ since, level: 'error' }), heard({ since, tail: '1' }), heard({ since: String(items[0]?.id) })]).to.deep.equal([['three', 'four'], [2, 'four'], []]);
  });
});
