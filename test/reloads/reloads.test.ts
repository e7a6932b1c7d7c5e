import { expect } from 'chai';
import { type Ctor, moduleSpecOf } from '@treadle/api';
import { HttpModule } from '@treadle/module-http';
import { OtelModule } from '@treadle/module-observability';
import { QueueModule } from '@treadle/module-queue';
import { StreamModule } from '@treadle/module-stream';
import { valueFault } from '@treadle/config';
import { stopAllEngines } from '../support/engine-process.js';
import { otherValue } from './src/other-value.js';
import { runReloads } from './src/reload-run.js';
import { reloadedSettings } from './src/reloaded-settings.js';

/** One of each kind: a limit of the server, an address, a route's default, what is recorded, what is sent, the queue, the streams. */
const SOME = [
  'http.port', 'http.host', 'http.body_limit_bytes', 'http.static', 'observability.sampling_ratio', 'observability.enabled', 'observability.exporter',
  'queue.max_waiting', 'stream.port', 'stream.max_clients',
];

describe('reloads under load', () => {
  afterEach(() => stopAllEngines());

  it('refuse, reset and fail no request, with slow ones under way', async function () {
    this.timeout(120_000);
    const { rows, outcomes } = await runReloads({ perSecond: 50, slowMs: 3_000, pauseMs: 150, only: SOME });
    expect(rows.map(({ setting, taken }) => `${setting}: ${taken}`).sort()).to.deep.equal(SOME.map((setting) => `${setting}: live`).sort());
    expect(outcomes).to.deep.include({ refused: 0, reset: 0, failed: 0, faults: [] });
    expect(outcomes.answered).to.equal(outcomes.sent).and.be.greaterThan(100);
  });

  it('have another value of every setting that its schema accepts', () => {
    const faults = reloadedSettings().flatMap(({ setting, key, schema }) => {
      const other = otherValue(key, schema, schema.default);
      if (JSON.stringify(other) === JSON.stringify(schema.default)) return [`${setting}: the present value again`];
      const fault = valueFault({ [key]: other }, { type: 'object', properties: { [key]: schema } });
      return fault === undefined ? [] : [`${setting}: ${fault}`];
    });
    expect(faults).to.deep.equal([]);
  });

  // With another path streams are served by another listener: their module begins anew, and clients join again.
  it('can take every setting of HTTP, observability, queue and streams but the adapters and the path of streams', () => {
    const fixed = ([HttpModule, OtelModule, QueueModule, StreamModule] as readonly Ctor<unknown>[]).flatMap((target) =>
      Object.entries(moduleSpecOf(target)?.config.properties ?? {}).filter(([, schema]) => schema['x-live'] !== true).map(([key]) => key));
    expect(fixed).to.deep.equal(['adapter', 'path', 'adapter']);
  });
});
