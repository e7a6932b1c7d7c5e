import { expectType, type Same } from './expect-type.fixture.js';
import { step } from './index.js';

declare module './index.js' {
  interface Operations {
    'mqtt.publish': { args: { topic: string; retain?: boolean }; result: { id: number } };
    'mqtt.topics': { args: { prefix?: string }; result: string[] };
    'mqtt.ping': { result: void };
  }
}

describe('ctx.call', () => {
  it('types operations of plugins by their declarations', () => {
    step({ name: 'Sends', triggers: [] }, async (_input, { call }) => {
      const sent = await call('mqtt.publish', { topic: 't', retain: true });
      expectType<Same<typeof sent, { id: number }>>();
      const topics = await call('mqtt.topics');
      expectType<Same<typeof topics, string[]>>();
      await call('mqtt.topics', { prefix: 'p' });
      const pong = await call('mqtt.ping');
      expectType<Same<typeof pong, void>>();
      // @ts-expect-error: arguments are missing
      await call('mqtt.publish');
      // @ts-expect-error: one of them is missing
      await call('mqtt.publish', { retain: true });
      // @ts-expect-error: one is of another type
      await call('mqtt.publish', { topic: 1 });
      // @ts-expect-error: it takes none
      await call('mqtt.ping', { topic: 't' });
      // @ts-expect-error: nobody declares it
      await call('mqtt.publsh', { topic: 't' });
    });
  });
});
