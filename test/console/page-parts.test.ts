import { expect } from 'chai';
import fc from 'fast-check';
import { isMovable, meantBy, type OwnKeys, pressedFor, readOwnKeys, swapped } from '../../console/app/src/keys/key-swaps.js';
import { nameOfKey, type PressedKey } from '../../console/app/src/keys/name-of-key.js';
import { marksBetween, marksOf } from '../../console/app/src/parts/time-marks.js';
import { readViews, withView } from '../../console/app/src/shell/saved-view.js';
import { frameLine } from '../../console/app/src/views/flows/frame-line.js';
import { patternCondition } from '../../console/app/src/views/logs/pattern-query.js';
import { foldRepeats, keyOf, linesOf, rowOf } from '../../console/app/src/views/logs/repeats.js';
import { readPins, toggled } from '../../console/app/src/views/metrics/pins.js';
import { joinedBranches, meantBranch, prefixSteps } from '../../console/app/src/views/state/branches.js';
import { lifetimeOf } from '../../console/app/src/views/state/lifetime.js';
import { seenBy } from '../../console/app/src/views/streams/seen.js';
import { flameOf } from '../../console/app/src/views/traces/flame.js';
import { queryOfGroup } from '../../console/app/src/views/traces/grouping.js';
import { readWatches, toggledWatch, type Watch, watchName } from '../../console/app/src/watches/watches.js';
import type { JoinEvent, LogRecord, SpanRow } from '../../console/src/contract/index.js';

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

  it('names keys, and takes what is written with AltGr for no command but the sign that it writes', () => {
    const named = (key: string, ...modifiers: readonly string[]): string | undefined => nameOfKey({
      key, isComposing: false, shiftKey: modifiers.includes('Shift'), metaKey: false, ctrlKey: modifiers.includes('Control'), altKey: modifiers.includes('Alt'), getModifierState: (name: string) => modifiers.includes(name),
    } satisfies PressedKey);
    expect([named('j'), named('G', 'Shift'), named('Enter', 'Shift'), named(' '), named('k', 'Control'), named('[')]).to.deep.equal(['j', 'G', 'Shift+Enter', 'Space', 'mod+k', '[']);
    expect([named('AltGraph'), named('Dead'), named('Shift', 'Shift')]).to.deep.equal([undefined, undefined, undefined]);
    // On some systems it comes as Ctrl and Alt together.
    for (const modifiers of [['AltGraph'], ['AltGraph', 'Control', 'Alt'], ['AltGraph', 'Shift']]) {
      for (const key of ['j', 'k', 's', 'e', 'q', 'ł', '€', '@', '[', ']', '1', '²', ' ', 'Enter', 'Escape', 'ArrowDown']) {
        expect(named(key, ...modifiers), `${modifiers.join('+')} ${key}`).to.equal(['€', '@', '[', ']'].includes(key) ? key : undefined);
      }
    }
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

  it('finds the innermost frame of a file in a stack of either language', () => {
    expect(frameLine('Error: no\n    at charge (file:///app/src/lib.ts:3:7)\n    at inner (/app/steps/pay.step.ts:12:9)\n    at handler (/app/steps/pay.step.ts:30:3)', 'steps/pay.step.ts')).to.equal(12);
    expect(frameLine('Error: no\n    at handler (steps/pay.step.ts:30:3)', 'steps/pay.step.ts')).to.equal(30);
    expect(frameLine('Traceback (most recent call last):\n  File "/app/steps/pay_step.py", line 9, in handler\n    inner()\n  File "/app/steps/pay_step.py", line 4, in inner\n    raise ValueError("no")', 'steps/pay_step.py')).to.equal(4);
    expect(frameLine('Error: no\n    at x (/app/steps/repay.step.ts:1:1)', 'pay.step.ts')).to.equal(undefined);
    expect(frameLine('', 'steps/pay.step.ts')).to.equal(undefined);
  });

  it('makes a condition of a pattern of log lines', () => {
    expect(patternCondition('order <n> failed after <n> ms')).to.equal('message:order*failed*after*ms');
    expect(patternCondition('"<id>" (x:y) is über')).to.equal('message:*x*y*is*über');
    expect(patternCondition('<n> <id>')).to.equal(undefined);
  });

  it('makes a query of a group of traces', () => {
    expect([queryOfGroup('status:error', 'step', 'Notify'), queryOfGroup('', 'http.route', '/a b'), queryOfGroup('', 'error', 'TypeError: no <n> of <id>'), queryOfGroup('', 'error', '<n>'), queryOfGroup('a', 'note', 'cut o…')]).to.deep.equal(['status:error step:Notify', 'http.route:"/a b"', 'error:TypeError*no*of*', undefined, 'a note:cut*o*']);
  });

  it('folds log lines that repeat their neighbour, and loses none', () => {
    const line = (id: number, message: string, members: Partial<LogRecord> = {}): LogRecord => ({ id, timestamp: `2026-11-26T10:00:0${id % 10}.000Z`, level: 'info', message, traceId: String(id), spanId: '', service: 's', stepName: 'A', ...members });
    const shapes = (rows: readonly Parameters<typeof linesOf>[0][]): readonly number[] => rows.map((row) => linesOf(row).length);
    const rows = [line(5, 'a', { fields: { n: 1, o: { p: 1 } } }), line(4, 'a', { fields: { o: { p: 1 }, n: 1 } }), line(3, 'a', { fields: { n: 2, o: { p: 1 } } }), line(2, 'b'), { id: 'gap', missing: '3 lines' }, line(1, 'b')];
    expect(shapes(foldRepeats(rows, () => false)), 'other fields, and a gap, end a run').to.deep.equal([2, 1, 1, 0, 1]);
    expect(shapes(foldRepeats(rows, ({ id }) => id === 4)), 'one that is unfolded').to.deep.equal([1, 1, 1, 1, 0, 1]);
    expect(['5', '4', '3', 'gap', '1', '9'].map((id) => rowOf(foldRepeats(rows, () => false), id)), 'a mark is a row, too').to.deep.equal([0, 0, 1, 3, 4, -1]);
    for (const members of [{ level: 'error' }, { stepName: 'B' }, { service: 't' }, { fields: { n: 1 } }] as const) expect(foldRepeats([line(2, 'a'), line(1, 'a', members)], () => false)).to.have.length(2);
    expect(keyOf(foldRepeats([line(3, 'a'), line(2, 'a'), line(1, 'a')], () => false)[0] as never), 'the key stays while lines come').to.equal(keyOf(foldRepeats([line(2, 'a'), line(1, 'a')], () => false)[0] as never));
    fc.assert(fc.property(fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 }), (messages) => {
      const lines = messages.map((message, at) => line(messages.length - at, message));
      const folded = foldRepeats(lines, () => false);
      expect(folded.flatMap(linesOf)).to.deep.equal(lines);
      for (const [at, row] of folded.entries()) expect(linesOf(row)[0]?.message).not.to.equal(linesOf(folded[at + 1] ?? { id: '', missing: '' })[0]?.message);
    }));
  });

  it('joins branches of keys that go on on the next page', () => {
    expect(joinedBranches([{ items: [{ prefix: 'a:', keys: 2 }, { prefix: 'b:', keys: 1, key: 'b:1' }] }, { items: [{ prefix: 'b:', keys: 3 }, { prefix: 'c', keys: 1, key: 'c' }] }])).to.deep.equal([{ prefix: 'a:', keys: 2 }, { prefix: 'b:', keys: 4 }, { prefix: 'c', keys: 1, key: 'c' }]);
    expect(prefixSteps('orders:2026/x').map(({ prefix, text }) => [prefix, text])).to.deep.equal([['orders:', 'orders:'], ['orders:2026/', '2026/'], ['orders:2026/x', 'x']]);
    expect(prefixSteps('')).to.deep.equal([]);
  });

  it('means the branch that keys have moved to, and the key that is open before another one', () => {
    const branches = [{ prefix: 'a:', keys: 2 }, { prefix: 'b', keys: 1, key: 'b' }, { prefix: 'c', keys: 1, key: 'c' }];
    expect([meantBranch(branches, -1, undefined), meantBranch(branches, 2, undefined), meantBranch(branches, -1, 'c'), meantBranch(branches, 1, 'c'), meantBranch(branches, 0, 'c'), meantBranch(branches, 1, 'elsewhere')]).to.deep.equal([-1, 2, 2, 2, 0, 1]);
  });

  it('reads how long a value is to stay', () => {
    expect(['30s', ' 1.5 h ', '7d', '250ms', '2m'].map(lifetimeOf)).to.deep.equal([30_000, 5_400_000, 604_800_000, 250, 120_000]);
    expect(['', '5', 's', '0s', '-1s', '1y', '1 s 2'].map(lifetimeOf).every((ms) => ms === undefined)).to.equal(true);
  });

  it('keeps what is watched, each once, and takes what somebody has spoilt for nothing', () => {
    for (const text of ['{', '{}', 'null', '[1,null,{"kind":"key","group":"g"},{"kind":"toString"},{"kind":"trace","id":1,"name":""}]', null]) expect(readWatches(text), String(text)).to.deep.equal([]);
    const [key, trace]: readonly Watch[] = [{ kind: 'key', group: 'a', key: 'b' }, { kind: 'trace', id: '1', name: 'POST /' }];
    expect(readWatches(JSON.stringify([key, trace]))).to.deep.equal([key, trace]);
    expect([toggledWatch([key as Watch], trace as Watch), toggledWatch([key as Watch, trace as Watch], { kind: 'trace', id: '1', name: 'other' })]).to.deep.equal([[key, trace], [key]]);
    expect(watchName({ kind: 'key', group: 'a', key: 'b' })).not.to.equal(watchName({ kind: 'key', group: 'a"', key: 'b' }));
    expect(Array.from({ length: 20 }, (_, at): Watch => ({ kind: 'topic', topic: String(at) })).reduce<readonly Watch[]>(toggledWatch, [])).to.have.length(8);
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
