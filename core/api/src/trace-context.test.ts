import { expect } from 'chai';
import { formatTraceParent, isSampled, newSpanId, newTraceId, NO_SPAN, NO_TRACE, parseTraceParent, spanIdOf, timeOfDay, traceIdOf } from './index.js';

const [TRACE, SPAN] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

describe('trace context', () => {
  it('makes ids that are random and of the right length', () => {
    const traces = Array.from({ length: 1000 }, newTraceId);
    const spans = Array.from({ length: 1000 }, newSpanId);
    for (const id of traces) expect(id).to.match(/^[0-9a-f]{32}$/);
    for (const id of spans) expect(id).to.match(/^[0-9a-f]{16}$/);
    expect(new Set([...traces, ...spans]).size).to.equal(2000);
  });

  it('writes a traceparent that can be taken apart again', () => {
    for (const sampled of [true, false]) {
      const text = formatTraceParent(TRACE, SPAN, sampled);
      expect(text).to.equal(`00-${TRACE}-${SPAN}-0${sampled ? 1 : 0}`);
      expect([traceIdOf(text), spanIdOf(text), isSampled(text)]).to.deep.equal([TRACE, SPAN, sampled]);
      expect(parseTraceParent(text)).to.deep.equal({ traceId: TRACE, parentId: SPAN, sampled });
    }
  });

  it('reads traceparents of later versions, by their flags', () => {
    expect(parseTraceParent(`cc-${TRACE}-${SPAN}-03-what-comes`)).to.deep.equal({ traceId: TRACE, parentId: SPAN, sampled: true });
    expect(parseTraceParent(`01-${TRACE}-${SPAN}-02`)?.sampled).to.equal(false);
  });

  const bad = [
    '', 'x', `00-${NO_TRACE}-${SPAN}-01`, `00-${TRACE}-${NO_SPAN}-01`, `ff-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01-more`, `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`, `cc-${TRACE}-${SPAN}-01-${'a'.repeat(600)}`,
  ];
  for (const text of bad) it(`reads nothing from "${text.slice(0, 60)}"`, () => expect(parseTraceParent(text)).to.equal(undefined));

  it('tells the time of day with fractions, the later moment later', () => {
    const now = performance.now();
    expect(timeOfDay(now)).to.be.within(Date.now() - 60_000, Date.now() + 60_000);
    expect(timeOfDay(now + 0.25) - timeOfDay(now)).to.be.within(0.24, 0.26);
  });
});
