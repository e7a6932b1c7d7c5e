import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StreamPort } from '@treadle/api';
import { createTestComposition } from '@treadle/engine/testing';
import stream from '@treadle/module-stream';
import sqlite from '@treadle/plugin-sqlite';

/** The group that all readers follow. */
export const GROUP = { stream: 'board', groupId: 'g' };

/** An engine with one stream, and readers in another process. */
export interface StreamBench {
  readonly port: StreamPort;
  /** Resolves when so many readers have joined; to be called once. */
  open(count: number): Promise<void>;
  /** Resolves when each reader has got all that was sent. */
  delivered(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both; streams are in memory. */
export async function startStreams(config: object = {}): Promise<StreamBench> {
  const yaml = JSON.stringify({
    engine: { implicit_modules: false },
    modules: [{
      class: 'modules::stream::StreamModule',
      config: { adapter: { class: 'modules::stream::adapters::Sqlite', config: { store_method: 'in_memory' } }, max_clients: 20_000, ...config },
    }],
  });
  const test = await createTestComposition({ builtins: [stream, sqlite], yaml, logLevel: 'error' });
  test.engine.dispatch.catalog.publish([{
    id: 'stream:board', role: 'stream', config: { name: 'stream:board', triggers: [{ type: 'stream.declaration', streamName: 'board' }] },
    file: 'board.stream.ts', language: 'typescript', configHash: '1',
  }]);
  const port = test.engine.port(StreamPort) as StreamPort;
  const readers = fork(fileURLToPath(new URL('./stream-readers.mjs', import.meta.url)), { execArgv: [] });
  let bytes = 0;
  port.watch(({ stream: streamName, groupId, id, epoch, seq, timestamp, event }) => {
    const text = JSON.stringify({ type: 'stream', timestamp, streamName, groupId, id, epoch, seq, event, subscriptionId: 's' });
    bytes += Buffer.byteLength(text) + headLength(text.length);
  });
  const ask = async (message: object): Promise<void> => {
    const answer = once(readers, 'message');
    readers.send(message);
    await answer;
  };
  return {
    port,
    open: (count) => ask({ type: 'open', port: Number(new URL(test.url('stream')).port), count }),
    delivered: () => ask({ type: 'expect', bytes }),
    stop: async () => {
      readers.kill();
      await test.stop();
    },
  };
}

function headLength(length: number): number {
  if (length <= 125) return 2;
  return length <= 0xffff ? 4 : 10;
}
