import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import { Connection } from './connection.js';
import { isAway } from './faults.js';
import { REDIS_DEFAULTS } from './store.config.js';

describe('a connection to Redis', () => {
  it('is given up when the server takes it and says nothing', async () => {
    const sockets: Socket[] = [];
    const listener = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    try {
      const { port } = listener.address() as AddressInfo;
      const connection = new Connection({ ...REDIS_DEFAULTS, host: '127.0.0.1', port }, () => undefined, () => undefined);
      expect(isAway(await errorOf(connection.connect()))).to.equal(true);
    } finally {
      for (const socket of sockets) socket.destroy();
      listener.close();
    }
  });
});
