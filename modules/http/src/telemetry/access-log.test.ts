import { expect } from 'chai';
import { type RunningModule, runModule, type RunOptions } from '../module-run.fixture.js';
import { call } from '../raw-client.fixture.js';

describe('The access log', () => {
  let run: RunningModule;
  afterEach(() => run.stop());
  const start = async (options: RunOptions): Promise<void> => {
    run = await runModule(options);
    run.hub.add({ method: 'GET', path: '/users/:id' }, () => ({ status: 200 }), 'GetUser');
  };
  const requests = (): readonly object[] => run.log.lines.filter(({ message }) => message === 'request');

  it('has a record for each request in development, with its Step and without its query', async () => {
    await start({ mode: 'development' });
    const { headers } = await call(`${run.url}/users/7?secret=x`);
    const [record] = requests() as [{ stepName: string; traceId: string; fields: Record<string, unknown> }];
    expect(record).to.include({ level: 'info', stepName: 'GetUser', traceId: headers['x-trace-id'] });
    expect(record.fields).to.include({ method: 'GET', path: '/users/7', status: 200, route: '/users/:id', ip: '127.0.0.1' });
    expect(record.fields['ms']).to.be.a('number');
  });

  it('has what no Step answers, but not what asks for health', async () => {
    await start({ config: { access_log: true } });
    await call(`${run.url}/nothing`);
    await call(`${run.url}/health`);
    expect(requests()).to.have.length(1);
    expect(requests()[0]).to.have.nested.property('fields.status', 404);
  });

  it('is not written in production unless asked for', async () => {
    await start({ mode: 'production' });
    await call(`${run.url}/users/7`);
    expect(requests()).to.deep.equal([]);
  });
});
