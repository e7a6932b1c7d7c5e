import { expect } from 'chai';
import fc from 'fast-check';
import { isMovable, meantBy, type OwnKeys, pressedFor, readOwnKeys, swapped } from '../../console/app/src/keys/key-swaps.js';
import { marksBetween, marksOf } from '../../console/app/src/parts/time-marks.js';
import { readViews, withView } from '../../console/app/src/shell/saved-view.js';
import { patternCondition } from '../../console/app/src/views/logs/pattern-query.js';
import { readPins, toggled } from '../../console/app/src/views/metrics/pins.js';
import { seenBy } from '../../console/app/src/views/streams/seen.js';
import { flameOf } from '../../console/app/src/views/traces/flame.js';
import type { JoinEvent, SpanRow } from '../../console/src/contract/index.js';

const key = fc.constantFrom(...'abcdefgxyz?/[]G');

describe('parts of the page of the console', () => {
  it('moves keys so that each command has one and no two have the same, whatever is moved where', () => {
    fc.assert(fc.property(fc.array(fc.tuple(key, key), { maxLength: 30 }), (moves) => {
      const keys = moves.reduce<OwnKeys>((before, [of, to]) => swapped(before, of, to), {});
      for (const one of 'abcdefgxyz?/[]G') expect(meantBy(keys, pressedFor(keys, one))).to.equal(one);
      const last = moves.at(-1);
      if (last) expect(pressedFor(keys, last[0])).to.equal(last[1]);
      expect(readOwnKeys(JSON.stringify(keys))).to.deep.equal(keys);
    }));
    expect(pressedFor({ g: 'x', x: 'g' }, 'g h')).to.equal('x h');
    expect(['a', '?', '1', ' ', 'Enter', 'mod+k'].filter(isMovable)).to.deep.equal(['a', '?']);
  });

  it('takes keys and views that somebody has spoilt for none', () => {
    for (const text of ['{', '[]', 'null', '{"a":1}', '{"a":"b"}', '{"a":"b","c":"b"}', null]) expect(readOwnKeys(text), String(text)).to.deep.equal({});
    for (const text of ['{', '{}', 'null', '[1,{"title":"x"},{"title":"x","path":"//evil.test"},{"title":"","path":"/"},{"title":"x","path":"https://evil.test"}]', null]) expect(readViews(text), String(text)).to.deep.equal([]);
    const [a, b] = [{ title: 'a', path: '/logs?q=a' }, { title: 'a', path: '/traces' }];
    expect(withView([a], b)).to.deep.equal([b]);
  });

  it('keeps pinned charts, each once, and takes those that somebody has spoilt for none', () => {
    for (const text of ['{', '{}', 'null', '[1,{"metric":"m"},{"metric":"","by":"*","show":""},{"metric":"m","by":1,"show":""}]', null]) expect(readPins(text), String(text)).to.deep.equal([]);
    const [a, b] = [{ metric: 'm', by: '*', show: 'p95' }, { metric: 'm', by: 'http.route', show: 'p95' }];
    expect(readPins(JSON.stringify([a, b]))).to.deep.equal([a, b]);
    expect([toggled([a], b), toggled([a, b], { ...a })]).to.deep.equal([[a, b], [b]]);
  });

  it('marks on an axis of time when the application changed, and nothing besides', () => {
    const marks = marksOf('2026-11-26T10:00:00.000Z', [
      { timestamp: '2026-11-26T10:02:00.000Z', message: 'configuration reloaded' }, { timestamp: '2026-11-26T10:01:30.000Z', message: 'the catalog changed hands', fields: {} },
      { timestamp: '2026-11-26T10:01:00.000Z', message: 'catalog changed', fields: { added: 0, changed: 1, swapped: 2 } },
    ]);
    expect(marks.map(({ text }) => text)).to.deep.equal(['The engine started', 'Steps changed: 1 changed, 2 swapped', 'The configuration was loaded anew']);
    const from = Date.parse('2026-11-26T10:00:30.000Z');
    expect(marksBetween(marks, from, from + 60_000).map(({ part, text }) => [part, text])).to.deep.equal([[0.5, 'Steps changed: 1 changed, 2 swapped']]);
    expect(marksBetween(marks, from, from)).to.deep.equal([]);
  });

  it('makes a condition of a pattern of log lines', () => {
    expect(patternCondition('order <n> failed after <n> ms')).to.equal('message:order*failed*after*ms');
    expect(patternCondition('"<id>" (x:y) is über')).to.equal('message:*x*y*is*über');
    expect(patternCondition('<n> <id>')).to.equal(undefined);
  });

  it('says what a client sees, and which rule refused it', () => {
    const received = (message: object, items?: number): JoinEvent => ({ type: 'received', at: 1, bytes: 1, message: message as never, ...items !== undefined && { items } });
    const seen = (one: string, ...events: readonly JoinEvent[]) => seenBy([{ type: 'connecting', at: 0, address: 'ws://x' }, ...events], { rule: 'steps/a.stream.ts', one });
    const sync = received({ type: 'stream', event: { type: 'sync', data: [1, 2], ids: ['a', 'b'] } }, 2);
    expect([...seen('', { type: 'connected', at: 0 }, sync, received({ id: 'c', event: { type: 'create', data: 3 } }), received({ id: 'a', event: { type: 'delete', data: 1 } })).items]).to.deep.equal([['b', 2], ['c', 3]]);
    expect(seen('', sync).verdict.words).to.contain('2 items');
    expect([...seen('a', received({ event: { type: 'sync', data: { x: 1 } } })).items, seen('a', received({ event: { type: 'sync', data: null } })).items.size]).to.deep.equal([['a', { x: 1 }], 0]);
    for (const [event, words] of [
      [{ type: 'refused', at: 0, status: 401, code: 'unauthorized', detail: '' }, 'authenticate'], [{ type: 'refused', at: 0, status: 403, code: 'x', detail: 'origin' }, 'web pages (403): origin'], [{ type: 'refused', at: 0, status: 0, code: 'unreachable', detail: 'down' }, 'down'],
      [received({ type: 'stream', event: { type: 'unauthorized' } }), 'canAccess in steps/a.stream.ts'], [received({ type: 'error', code: 'unknown_stream', message: 'no file' }), 'no file (unknown_stream)'],
    ] as const) {
      const { verdict, isIn } = seen('', event as JoinEvent, { type: 'closed', at: 1, code: 1000, reason: '' });
      expect([verdict.tone, isIn, verdict.words.includes(words)], verdict.words).to.deep.equal(['bad', false, true]);
    }
    expect(seen('', sync, { type: 'closed', at: 1, code: 4008, reason: 'slow' }).verdict).to.deep.equal({ tone: 'warn', words: 'The engine closed its connection with 4008 (slow)' });
  });

  it('adds the spans of a trace up by their names: no time is lost, boxes lie within those above and beside each other', () => {
    const tree = fc.array(fc.record({ up: fc.nat(3), name: fc.constantFrom('a', 'b', 'c'), ms: fc.integer({ min: 0, max: 100 }) }), { minLength: 1, maxLength: 40 });
    fc.assert(fc.property(tree, (given) => {
      let depth = -1;
      const rows = given.map(({ up, name, ms }, at) => {
        depth = Math.max(0, Math.min(depth + 1, depth + 1 - up));
        return { spanId: String(at), depth, name, kind: 'internal', stepName: '', durationMs: ms } as SpanRow;
      });
      const boxes = flameOf(rows);
      expect(boxes.reduce((sum, { spans }) => sum + spans, 0)).to.equal(rows.length);
      expect(boxes.reduce((sum, { totalMs }) => sum + totalMs, 0)).to.be.closeTo(rows.reduce((sum, { durationMs }) => sum + durationMs, 0), 1e-6);
      for (const box of boxes) {
        const parent = boxes.find((one) => box.depth > 0 && one.key === box.key.slice(0, box.key.lastIndexOf('\u0000'))) ?? { left: 0, width: 1 };
        expect(box.left >= parent.left - 1e-9 && box.left + box.width <= parent.left + parent.width + 1e-9).to.equal(true);
      }
      for (const level of new Set(boxes.map((box) => box.depth))) {
        const beside = boxes.filter((box) => box.depth === level).sort((a, b) => a.left - b.left);
        for (const [at, box] of beside.entries()) expect(box.left + box.width <= (beside[at + 1]?.left ?? 2) + 1e-9).to.equal(true);
      }
    }));
  });
});
