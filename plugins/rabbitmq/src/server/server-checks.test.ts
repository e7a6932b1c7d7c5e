import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { manage } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';
import { checkServer, deliveryArguments } from './server-checks.js';
import { addressOf, loginOf, RABBITMQ_DEFAULTS } from './rabbit.config.js';

describe('the settings of RabbitMQ', () => {
  it('are taken of the address where there is one', () => {
    const config = { ...RABBITMQ_DEFAULTS, url: 'amqps://al%40ice:s%2Fecret@broker:1234/shop%2Fone' };
    expect(addressOf(config)).to.deep.equal({ encrypted: true, host: 'broker', port: 1234, vhost: 'shop/one' });
    expect(loginOf(config)).to.deep.equal({ username: 'al@ice', password: 's/ecret' });
    expect(addressOf({ ...RABBITMQ_DEFAULTS, url: 'amqp://broker' })).to.deep.equal({ encrypted: false, host: 'broker', port: 5_672, vhost: '/' });
    expect(addressOf({ ...RABBITMQ_DEFAULTS, tls: 'verify' })).to.include({ encrypted: true, port: 5_671 });
    expect(loginOf({ ...RABBITMQ_DEFAULTS, url: 'amqp://broker' })).to.deep.equal({ username: 'guest', password: 'guest' });
  });

  it('refuse another broker and an old version, and keep version 4 from dropping what was given back often', () => {
    expect(() => checkServer(RABBITMQ_DEFAULTS, { product: 'LavinMQ', version: '2.0.0' })).to.throw('it says that it is LavinMQ');
    expect(() => checkServer(RABBITMQ_DEFAULTS, { product: 'RabbitMQ', version: '3.9.29' })).to.throw('it is version 3.9.29; 3.10 is the oldest that works');
    checkServer(RABBITMQ_DEFAULTS, { product: 'RabbitMQ', version: '3.10.0' });
    expect(deliveryArguments({ version: '3.13.7' })).to.deep.equal({ 'x-queue-type': 'quorum' });
    expect(deliveryArguments({ version: '4.1.0' })).to.deep.equal({ 'x-queue-type': 'quorum', 'x-delivery-limit': -1 });
  });
});

withServer.describe('the checks of a RabbitMQ server', () => {
  withServer.it('refuse one that is not there, a wrong password, and a virtual host that is not there', async () => {
    const { config, cleanup } = await freshConfig(await sharedServer());
    expect((await errorOf(startEngine({ ...config, port: 1 }))).message).to.match(/^RabbitMQ 127\.0\.0\.1:1 is not available: .*ECONNREFUSED/);
    const refused = await errorOf(startEngine({ ...config, password: 'wrong' }));
    expect([refused.code, refused.message, refused.hint]).to.deep.equal(['SERVICE_UNAVAILABLE', `RabbitMQ 127.0.0.1:${config.port} cannot be used: it refuses the user "guest"`,
      'set username and password, e.g. password: ${RABBITMQ_PASSWORD}; "guest" may log in from the same machine only']);
    expect(await errorOf(startEngine({ ...config, vhost: 'nowhere' }))).to.have.property('hint').that.matches(/^make it \(rabbitmqctl add_vhost\)/);
    await cleanup();
  });

  withServer.it('refuse a user without rights, and take one with rights on the queues of the name alone', async () => {
    const server = await sharedServer();
    const { config, cleanup } = await freshConfig(server);
    const user = `user_${config.name}`;
    const mine = `^treadle\\.${config.name}(\\..*)?$`;
    await manage(server, `/api/users/${user}`, 'PUT', { password: 'secret', tags: '' });
    const allow = (pattern: string): Promise<Response> => manage(server, `/api/permissions/%2F/${user}`, 'PUT', { configure: pattern, write: pattern, read: pattern });
    await allow('^$');
    const login = { ...config, username: user, password: 'secret' };
    expect(await errorOf(startEngine(login))).to.have.property('hint').that.matches(/^let "user_\w+" configure, write and read what begins with "treadle\./);
    await allow(mine);
    const { adapter, stop } = await startEngine(login);
    await adapter.changeSubscriptions([{ action: 'put', subscription: { step: 'a', topic: 't', application: '', fifo: false, delayMs: 0, settings: '' } }]);
    const [outcome] = await adapter.enqueueMany([[{ id: 'm1', topic: 't', kind: 'queue', data: '1', traceparent: '', hops: 0, enqueuedAt: Date.now() }]], { maxWaiting: 5 });
    expect(outcome).to.deep.equal({ ok: true, ids: ['m1'] });
    expect(await adapter.claimMany([{ step: 'a', topic: 't', max: 1 }], 1_000)).to.have.length(1);
    await stop();
    await manage(server, `/api/users/${user}`, 'DELETE');
    await cleanup();
  });
});
