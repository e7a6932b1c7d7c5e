import { expect } from 'chai';
import { LogOutlet } from './log-outlet.js';

const MIB = 1024 * 1024;

describe('LogOutlet', () => {
  it('drops records that the engine does not read in time, and tells how many when it does', async () => {
    const sent: { message: string; level: string; fields?: { dropped?: number } }[] = [];
    let waiting = 0;
    const outlet = new LogOutlet({ send: (json) => sent.push(JSON.parse(json) as typeof sent[number]), waiting: () => waiting });
    const log = (message: string, level: 'info' | 'error' = 'info'): void => outlet.log(1, { time: 0, level, message, fields: undefined, stepName: 'A' });
    log('one');
    waiting = 9 * MIB;
    for (let n = 0; n < 1000; n++) log('lost');
    log('kept', 'error');
    waiting = 0;
    log('two');
    const notice = 'log records were dropped: there were more than the engine could read';
    expect(sent.map(({ message, fields }) => [message, fields?.dropped])).to.deep.equal([['one', undefined], ['kept', undefined], [notice, 1000], ['two', undefined]]);
    waiting = 9 * MIB;
    log('lost');
    waiting = 0;
    const deadline = performance.now() + 10_000;
    while (sent.length < 5 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    expect([sent[4]?.message, sent[4]?.level, sent[4]?.fields?.dropped]).to.deep.equal([notice, 'warn', 1]);
    outlet.close();
  });
});
