import { expect } from 'chai';
import { CONTESTANTS, requestBytes } from './contestant.js';
import { sliceOf, wrkProgram } from './wrk-load.js';

const bytesOf = (id: string): string => requestBytes(CONTESTANTS.find((contestant) => contestant.id === id) ?? (CONTESTANTS[0] as never));

describe('Load from wrk', () => {
  it('asks for what the own generator asks for', () => {
    expect(wrkProgram(bytesOf('raw'))).to.contain('wrk.method = "GET"\nwrk.path = "/hello"\nwrk.headers["Host"] = "127.0.0.1"\n')
      .and.not.contain('wrk.body');
    expect(wrkProgram(bytesOf('raw-post'))).to.contain('wrk.headers["content-type"] = "application/json"\n')
      .and.contain('wrk.body = "{\\034title\\034:').and.not.contain('content-length');
  });

  it('reads what was counted', () => {
    expect(sliceOf('Running 1s test\ncounted 50000 1000000 2 3 740.000000 2100.000000\n')).to.deep.equal({
      requests: 50_000, perSecond: 50_000, failures: 2, non2xx: 3, p50Ms: 0.74, p99Ms: 2.1,
    });
  });

  it('says so when wrk did not count', () => {
    expect(() => sliceOf('unable to connect')).to.throw('unable to connect');
  });
});
