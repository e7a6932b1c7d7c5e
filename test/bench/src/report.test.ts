import { expect } from 'chai';
import { requestBytes, CONTESTANTS } from './contestant.js';
import type { Measurement } from './measure.js';
import { benchOptions } from './options.js';
import { costBetween, ratioBetween, rowOf, table } from './report.js';
import { median, medianRange, spread } from '../../support/statistics.js';

const measured = (perSecond: number): Measurement => ({
  perSecond, p50Ms: 1, p99Ms: 2, oneConnectionP50Ms: 0.1, cpuMain: 10, cpuOthers: 0, residentMb: 60, failures: 0, non2xx: 1,
});

describe('benchmark reports', () => {
  it('take medians of odd and even numbers of rounds', () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([4, 1, 3, 2])).to.equal(2.5);
    expect(spread([90, 100, 120])).to.be.closeTo(0.3, 1e-9);
  });

  it('say between which values a median lies', () => {
    expect(medianRange([3, 1, 2])).to.deep.equal([1, 3]);
    expect(medianRange(Array.from({ length: 100 }, (_, at) => at + 1))).to.deep.equal([41, 60]);
  });

  it('compare within the same round, not medians with medians', () => {
    const rounds = new Map([['raw', [100, 50, 200].map(measured)], ['koa', [60, 45, 100].map(measured)]]);
    const koa = CONTESTANTS.find((contestant) => contestant.id === 'koa')!;
    const row = rowOf(koa, rounds);
    expect(row.ratio).to.equal(0.6);
    expect(row.perSecond).to.equal(60);
    expect(row.non2xx).to.equal(3);
    expect(ratioBetween('koa', 'raw', rounds)).to.equal(0.6);
    expect(ratioBetween('koa', 'nobody', rounds)).to.equal(undefined);
    const cpu = (cpuMain: number, cpuOthers: number): Measurement => ({ ...measured(1), cpuMain, cpuOthers });
    expect(costBetween('on', 'off', new Map([['on', [cpu(10, 2), cpu(20, 3), cpu(9, 4)]], ['off', [cpu(8, 1), cpu(18, 1), cpu(9, 2)]]]))).to.equal(3);
    expect(table([row]).split('\n').at(-1)).to.match(/^\| koa \| 60 \| 0\.60 \| 1\.00 \|/);
  });

  it('send a POST body of about 1 KB with its exact length', () => {
    const bytes = requestBytes(CONTESTANTS.find((contestant) => contestant.id === 'raw-post')!);
    const [head = '', body = ''] = bytes.split('\r\n\r\n');
    expect(Buffer.byteLength(body)).to.be.within(1000, 1050);
    expect(head).to.include(`content-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).to.include({ priority: 'normal' });
  });

  it('refuse options that make no sense', () => {
    expect(benchOptions(['--rounds', '3', '--only', 'koa,worker'])).to.deep.equal({ rounds: 3, seconds: 1, only: ['koa', 'worker'], generator: 'own' });
    expect(benchOptions(['--generator', 'wrk']).generator).to.equal('wrk');
    expect(() => benchOptions(['--generator', 'ab'])).to.throw('--generator must be own or wrk; got ab');
    expect(() => benchOptions(['--rounds', '0'])).to.throw('--rounds must be a number above 0');
    expect(() => benchOptions(['--rouns', '3'])).to.throw();
  });
});
