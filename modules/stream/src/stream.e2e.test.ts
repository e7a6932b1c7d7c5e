import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatePort } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import sqlite from '@treadle/plugin-sqlite';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import stream from './index.js';
import { until, WireClient } from './stream.fixture.js';

const builtins = [...BUILTIN_PLUGINS.filter(({ name }) => name !== stream.name && name !== sqlite.name), stream, sqlite];
const memory = (block: string): string => `adapter: { class: modules::${block}::adapters::Sqlite, config: { store_method: in_memory } }`;
const YAML = `
modules:
  - class: modules::state::StateModule
    config: { ${memory('state')} }
  - class: modules::queue::QueueModule
    config: { ${memory('queue')} }
  - class: modules::stream::StreamModule
    config: { ${memory('stream')} }
  - class: modules::steps::StepsModule
    config: { runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: 1 } }] }
`;

const FILES: Readonly<Record<string, string>> = {
  'board.stream.ts': `
    export const config = {
      name: 'board', schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      canAccess: (subscription: any, auth: any) => subscription.groupId === auth.team,
    };`,
  'who.stream-auth.ts': `
    export const authenticate = ({ query }: any) => (query.team ? { team: query.team } : null);`,
  'post.step.ts': `
    export const config = { name: 'Post', triggers: [{ type: 'http', method: 'POST', path: '/post' }] };
    export const handler = async (input: any, { streams }: any) => {
      const tried = (work: Promise<unknown>) => work.then((value) => value ?? null, (error: any) => error.code);
      return { status: 200, body: [
        await tried(streams.board.set('red', 'a', { n: 1 })), await tried(streams.board.update('red', 'a', [{ type: 'increment', path: 'n' }])),
        await tried(streams.board.set('red', 'b', { n: 'x' })), await tried(streams.board.get('red', 'a')), await tried(streams.board.list('red')),
        await tried(streams.board.listGroups()), await tried(streams.board.send({ groupId: 'red' }, { type: 'ping', data: 1 })),
        await tried(streams.other.get('red', 'a')), await tried(streams.board.delete('red', 'a')),
      ] };
    };`,
  'listen.step.ts': `
    export const config = { name: 'Listen', triggers: [{ type: 'stream', streamName: 'board', groupId: 'red', events: ['update', 'delete'] }] };
    export const handler = async (input: any, { state }: any) => { await state.update('heard', 'all', [{ type: 'append', path: 'list', value: input }]); };`,
};

describe('streams in a running engine', function () {
  this.timeout(180_000);
  let root: string;
  let engine: TestComposition | undefined;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-stream-e2e-'));
    mkdirSync(join(root, 'steps'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, 'steps', name), text);
  });
  afterEach(async () => {
    await engine?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  it('are declared, guarded, written and listened to by files of the application', async () => {
    const test = engine = await createTestComposition({ root, builtins, yaml: YAML });
    const health = async (): Promise<number> => (await fetch(`${test.url('http')}/health`)).status;
    for (let tries = 0; tries < 600 && await health() !== 200; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
    const connect = async (team: string): Promise<WireClient> => {
      const client = new WireClient(new WebSocket(`${test.url('stream')}/?team=${team}`));
      await client.opened;
      return client;
    };
    expect(await connect('').then(() => 'in', (error: Error) => error.message)).to.equal('Unexpected server response: 401');
    const [red, blue] = [await connect('red'), await connect('blue')];
    expect((await red.join('red')).event).to.deep.equal({ type: 'sync', data: [], ids: [] });
    expect((await blue.join('red')).event).to.deep.equal({ type: 'unauthorized' });
    const response = await fetch(`${test.url('http')}/post`, { method: 'POST' });
    expect(await response.json()).to.deep.equal([
      { n: 1 }, { value: { n: 2 }, revision: 2 }, 'InvalidItem', { n: 2 }, [{ n: 2 }], { items: ['red'] }, null, 'StreamNotDeclared', null,
    ]);
    await until(() => red.messages.length === 5);
    expect(red.brief().slice(1)).to.deep.equal([
      [1, 'create', 'a', { n: 1, id: 'a' }], [2, 'update', 'a', { n: 2, id: 'a' }], [3, 'event', undefined, { type: 'ping', data: 1 }],
      [4, 'delete', 'a', { n: 2, id: 'a' }],
    ]);
    const heard = async (): Promise<unknown[]> => ((await test.engine.port(StatePort)?.get('heard', 'all')) as { list?: unknown[] } | null)?.list ?? [];
    for (let tries = 0; tries < 1_000 && (await heard()).length < 2; tries++) await new Promise((resolve) => setTimeout(resolve, 25));
    expect(await heard()).to.have.deep.members([
      { streamName: 'board', groupId: 'red', id: 'a', event: { type: 'update', data: { n: 2 } } },
      { streamName: 'board', groupId: 'red', id: 'a', event: { type: 'delete', data: { n: 2 } } },
    ]);
    expect(blue.messages).to.have.length(1);
    for (const { socket } of [red, blue]) socket.terminate();
  });
});
