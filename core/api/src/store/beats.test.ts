import { expect } from 'chai';
import { Beats } from './beats.js';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('beats of a store', () => {
  it('come to everybody, whoever is still busy with the last one, and are anew for that one when it has missed such a one', async () => {
    const told: string[] = [];
    let end = (): void => undefined;
    const beats = new Beats(() => undefined);
    beats.add({ beat: (anew) => { told.push(`slow ${anew}`); return new Promise((resolve) => { end = resolve; }); } });
    beats.add({ beat: async (anew) => Promise.resolve(void told.push(`quick ${anew}`)) });
    beats.add({});
    for (const anew of [false, false, true]) {
      beats.beat(anew);
      await turn();
    }
    expect(told).to.deep.equal(['slow false', 'quick false', 'quick false', 'quick true']);
    end();
    await turn();
    beats.beat(false);
    await turn();
    expect(told.slice(4)).to.deep.equal(['slow true', 'quick false']);
    const idle = beats.idle();
    end();
    await idle;
  });

  it('are anew for the one whose last one failed, and end with the listening', async () => {
    const [told, failed]: [boolean[], string[]] = [[], []];
    const beats = new Beats((error) => void failed.push(String(error)));
    const unlisten = beats.add({ beat: (anew) => { told.push(anew); return told.length === 1 ? Promise.reject(new Error('away')) : Promise.resolve(); } });
    for (let times = 0; times < 3; times += 1) {
      beats.beat(false);
      await beats.idle();
    }
    unlisten();
    beats.beat(true);
    await beats.idle();
    expect([told, failed]).to.deep.equal([[false, true, false], ['Error: away']]);
  });
});
