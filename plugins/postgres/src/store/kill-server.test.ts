import { expect } from 'chai';
import { withServer } from '../testing/kit.fixture.js';
import { killServer } from '../testing/kill-server.fixture.js';

/** Kills of the server; the long form sets it. */
const ROUNDS = Number(process.env['TREADLE_POSTGRES_KILLS'] ?? 2);

withServer.describe('a server that is killed under load', () => {
  withServer.it(`loses nothing that was acknowledged, over ${ROUNDS} kills`, async () => {
    const { acknowledged, lost, undead } = await killServer(ROUNDS);
    expect({ lost, undead }).to.deep.equal({ lost: [], undead: [] });
    expect(acknowledged).to.be.at.least(100 * ROUNDS);
  });
});
