import { partitionSuite } from '@treadle/testing';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';

partitionSuite({
  withStore: async (body) => {
    const server = await sharedServer();
    const { config, cleanup } = await freshConfig(server);
    await body({ port: server.port, start: (port) => startEngine({ ...config, port }) });
    await cleanup();
  },
}, withServer);
