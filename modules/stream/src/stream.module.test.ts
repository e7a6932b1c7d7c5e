import { adapterSpecOf, StreamPort } from '@treadle/api';
import { createTestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import sqlite from '@treadle/plugin-sqlite';
import { moduleSuite } from '@treadle/testing';
import { expect } from 'chai';
import { createServer } from 'node:net';
import { once } from 'node:events';
import stream, { StreamModule } from './index.js';
import { streamYaml, World } from './stream.fixture.js';

const builtins = [stream, sqlite, keyv];

moduleSuite({ module: StreamModule, plugins: [stream, sqlite], env: () => ({ yaml: streamYaml({ port: 0 }) }) });

describe('StreamModule', () => {
  it('runs the sample of the base specification as it stands', async () => {
    const sample = (store: string): string => `
engine: { implicit_modules: false }
modules:
  - class: modules::stream::StreamModule
    config:
      port: \${STREAM_PORT:0}
      host: 127.0.0.1
      adapter:
        class: modules::stream::adapters::KvStore
        config:
${store}
`;
    for (const store of ['          store_method: in_memory', '          store_method: file_based\n          file_path: ./data/stream_store']) {
      const test = await createTestComposition({ builtins, yaml: sample(store) });
      expect(test.url('stream')).to.match(/^ws:\/\/127\.0\.0\.1:\d+$/);
      await test.stop();
    }
  });

  it('listens on 3112 or on what STREAM_PORT says, and uses the embedded store, when nothing is written', async () => {
    const yaml = 'engine: { implicit_modules: false }\nmodules: [{ class: modules::stream::StreamModule }]';
    const test = await createTestComposition({ builtins, yaml, env: { STREAM_PORT: '0' } });
    const { config, adapters: [adapter] } = test.plan.entries[0] ?? { config: {}, adapters: [] };
    expect(adapter?.instance.classId).to.equal(adapterSpecOf(sqlite.adapters?.find((one) => adapterSpecOf(one)?.id.startsWith('modules::stream')) as never)?.id);
    expect(config).to.include({ host: '127.0.0.1', port: 0, auth: 'required', max_clients: 10_000 });
    await test.stop();
  });

  it('names the setting when its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const error = await createTestComposition({ builtins, yaml: streamYaml({ port }) }).then(() => undefined, (reason: Error) => reason);
    expect((error?.cause as Error | undefined ?? error)?.message).to.contain(`127.0.0.1:${port}`);
    expect(JSON.stringify([error?.message, (error?.cause as Error | undefined)?.message, (error as { hint?: string }).hint])).to.contain('modules[0].config');
    server.close();
  });

  it('takes its limits while clients stay, and asks them to connect again only when its address changes', async () => {
    const world = await World.start({ streams: { board: {} } });
    const client = await world.connect();
    const memory = { class: 'modules::stream::adapters::Sqlite', config: { store_method: 'in_memory' } };
    await client.join('g');
    await world.test.reload(streamYaml({ port: Number(new URL(world.url).port), max_subscriptions: 1, max_clients: 1, retained_events: 0, ping_interval_ms: 1000 }, memory));
    expect((await client.join('h', { subscriptionId: 't' })).code).to.equal('too_many_subscriptions');
    expect(await world.refusal()).to.equal(503);
    const former = world.url;
    const report = await world.test.reload(streamYaml({ port: 0, max_clients: 5 }, memory));
    expect(report.restarted).to.deep.equal([]);
    expect(world.url).to.not.equal(former);
    expect(await client.closed).to.equal(1012);
    const again = await world.connect();
    expect((await again.join('g')).event.type).to.equal('sync');
    await world.stop();
  });

  it('serves port, operations and trigger kinds', async () => {
    const world = await World.start({ streams: { board: { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer', maximum: 9 } } } } } });
    const group = { stream: 'board', groupId: 'g' };
    const { operations, triggers } = world.test.engine.dispatch;
    expect(operations.declared.map(({ name }) => name).sort()).to.deep.equal([
      'stream.delete', 'stream.get', 'stream.list', 'stream.listGroups', 'stream.send', 'stream.set', 'stream.update',
    ]);
    expect(triggers.kinds().map(({ type }) => type)).to.deep.equal(['stream.declaration', 'stream.authentication']);
    const port = world.test.engine.port(StreamPort) as StreamPort;
    expect(await port.get(group, 'a')).to.equal(null);
    expect(await port.set(group, 'a', { n: 1 })).to.deep.equal({ n: 1 });
    expect(await port.update(group, 'a', [{ type: 'increment', path: 'n', by: 2 }])).to.deep.equal({ value: { n: 3 }, revision: 2 });
    expect(await port.list(group)).to.deep.equal([{ n: 3 }]);
    expect(await port.listGroups('board')).to.deep.equal({ items: ['g'] });
    await port.update(group, 'a', [{ type: 'remove' }]);
    expect(await port.list(group)).to.deep.equal([]);
    await world.stop();
  });

  it('does not call a stream undeclared while Steps are being loaded', async () => {
    const world = await World.start();
    const { catalog } = world.test.engine.dispatch;
    const codeOf = async (): Promise<string> => world.port.set({ stream: 'later', groupId: 'g' }, 'a', 1).then(() => 'fine', (error: Error & { code: string }) => error.code);
    catalog.settle(false);
    expect(await codeOf()).to.equal('StreamUnavailable');
    catalog.settle(true);
    expect(await codeOf()).to.equal('StreamNotDeclared');
    await world.stop();
  });

  it('refuses what is undeclared, no name, no JSON or does not fit the schema, by a code and a text', async () => {
    const world = await World.start({ streams: { board: { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer', maximum: 9 } } } } } });
    const { port } = world;
    const group = { stream: 'board', groupId: 'g' };
    await port.set(group, 'a', { n: 9 });
    const refusal = (work: Promise<unknown>): Promise<string> => work.then(() => 'fine', (error: Error & { code: string }) => `${error.code}: ${error.message}`);
    expect(await Promise.all([
      refusal(port.set({ stream: 'none', groupId: 'g' }, 'a', 1)), refusal(port.get({ stream: 'none', groupId: 'g' }, 'a')),
      refusal(port.set(group, '', { n: 1 })), refusal(port.list({ stream: 'board', groupId: 'x'.repeat(513) })),
      refusal(port.set(group, 'a', { m: 1 } as never)), refusal(port.set(group, 'a', { n: 1.5 })), refusal(port.set(group, 'a', undefined as never)),
      refusal(port.update(group, 'a', [{ type: 'increment', path: 'n' }])), refusal(port.update(group, 'new', [{ type: 'set', path: 'm', value: 1 }])),
      refusal(port.send(group, { type: '', data: 1 })), refusal(port.listGroups('board', { limit: 0 })), refusal(port.listGroups('board', { cursor: '' })),
    ])).to.deep.equal([
      'StreamNotDeclared: there is no stream "none" (declared: board); declare it in a *.stream file',
      'StreamNotDeclared: there is no stream "none" (declared: board); declare it in a *.stream file',
      'StreamInvalidArgument: id must not be empty', 'StreamInvalidArgument: groupId has 513 bytes; at most 512 are allowed',
      'InvalidItem: the item does not fit the schema of stream "board": n: is required',
      'InvalidItem: the item does not fit the schema of stream "board": n: must be integer',
      'InvalidValue: the value is not JSON: undefined',
      'InvalidItem: the item does not fit the schema of stream "board": n: must be <= 9',
      'InvalidItem: the item does not fit the schema of stream "board": n: is required',
      'StreamInvalidArgument: the type of the event must not be empty', 'StreamInvalidArgument: limit must be a whole number from 1 to 1000, got 0',
      'StreamInvalidArgument: cursor must be one that a former page gave, got string',
    ]);
    expect(await port.list(group)).to.deep.equal([{ n: 9 }]);
    await world.stop();
  });
});
