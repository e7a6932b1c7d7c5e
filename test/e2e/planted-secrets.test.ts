import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { AdminClient } from '../support/admin-client.js';
import { cleanEnvironment, cliProgram, engineProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const ROUNDS = 20;
const KINDS = ['authorization', 'cookie', 'header', 'query', 'body', 'nested', 'thrown', 'variable', 'variablethrown', 'printed'] as const;
const PLANTED = /s3cret-\d+-[a-z]+/;
/** Without a shape of its own: only where it is, or what it is called, gives it away. */
const secret = (round: number, kind: typeof KINDS[number]): string => `s3cret-${round}-${kind}`;

const PLANT = `import { metrics, trace } from '@opentelemetry/api';
export const config = { name: 'Plant', triggers: [{ type: 'http', method: 'POST', path: '/plant/:round' }], enqueues: ['planted'] };
console.log('loaded with', process.env.APP_0_PASSWORD, { password: process.env.APP_1_PASSWORD });
export const handler = async ({ body, headers, query, pathParams: { round } }, { enqueue, logger, state, trace: span }) => {
  logger.info('request', { headers, body, query });
  logger.warn('asked for /plant?access_token=' + query.access_token, { deep: [{ url: 'https://x.test/?access_token=' + query.access_token }] });
  logger.info(process.env['APP_' + round + '_PASSWORD'], { note: 'from ' + process.env['APP_' + round + '_PASSWORD'] });
  console.log(body, JSON.stringify(headers));
  console.error('token=' + body.token, 'Authorization:', headers.authorization);
  span.setAttributes({ 'http.request.header.authorization': headers.authorization, 'app.api_key': headers['x-api-key'], note: 'password=' + body.password });
  span.addEvent('signed in with ' + headers.authorization, { password: body.password });
  trace.getTracer('app').startActiveSpan('login?access_token=' + query.access_token, (own) => {
    own.recordException(new Error('redis://:' + body.db_password + '@cache is down'));
    own.end();
  });
  metrics.getMeter('app').createCounter('app.logins').add(1, { apiKey: headers['x-api-key'], url: 'http://u:' + body.db_password + '@h/' });
  await state.set('logins', round, { seen: true });
  await enqueue({ topic: 'planted', data: { ...body, round } });
  throw new Error('no way to postgres://app:' + body.db_password + '@db/shop', { cause: new Error(process.env['APP_' + round + '_KEY']) });
};
`;

const FAIL = `export const config = { name: 'Fail', triggers: [{ type: 'queue', topic: 'planted', config: { maxAttempts: 2, backoff: { type: 'fixed', delayMs: 1, jitter: 0 } } }] };
export const handler = async (data, { logger }) => {
  logger.error('failing', { error: new Error('password=' + data.password, { cause: data }) });
  throw new Error('cannot use ' + process.env['APP_' + data.round + '_KEY'] + ' nor password="' + data.password + '" ' + JSON.stringify(data));
};
`;

const CONFIG = `modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::console::ConsoleModule, config: { port: 0 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node }] } }
  - class: modules::observability::OtelModule
    config: { headers: { x-team: "\${APP_2_KEY}", authorization: "Bearer \${APP_3_PASSWORD}" }, logs_max_count: 5000 }
`;

const ENV: Record<string, string> = Object.fromEntries(Array.from({ length: ROUNDS }, (_, round) => round).flatMap((round) => [
  [`APP_${round}_PASSWORD`, secret(round, 'variable')], [`APP_${round}_KEY`, secret(round, 'variablethrown')],
]));

const OTEL = `/modules/${encodeURIComponent('modules::observability::OtelModule')}`;

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('two hundred secrets that an application is careless with', function () {
  this.timeout(120_000);
  let engine: EngineProcess;
  let cwd: string;
  before(async () => {
    cwd = tempApplication({ 'steps/plant.step.js': PLANT, 'steps/fail.step.js': FAIL, 'config.yaml': CONFIG });
    engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: ENV });
    const url = await engine.ready();
    await waitUntil('the Steps', async () => (await request('POST', `${url}/plant/x`, {})).status !== 404);
    for (let round = 0; round < ROUNDS; round++) {
      const of = (kind: typeof KINDS[number]): string => secret(round, kind);
      const body = { password: of('body'), profile: { clientSecret: of('nested') }, token: of('printed'), db_password: of('thrown') };
      const headers = { authorization: `Bearer ${of('authorization')}`, cookie: `sid=${of('cookie')}`, 'x-api-key': of('header') };
      const answer = await request('POST', `${url}/plant/${round}?access_token=${of('query')}`, { ...body }, headers);
      expect([answer.status, PLANTED.exec(answer.text)?.[0]]).to.deep.equal([500, undefined]);
    }
    const admin = new AdminClient(engine);
    await waitUntil('the dead letters', async () => (await admin.letters('Fail')).length >= ROUNDS);
    await waitUntil('the lines of the last attempt', () => count(engine.output, '"message":"failing"') >= ROUNDS * 2);
  });
  after(stopAllEngines);

  const expectClean = (where: string, text: string): void => void expect(PLANTED.exec(text)?.[0], where).to.equal(undefined);

  it('show none on standard output, where everything else of the lines is', () => {
    expectClean('standard output', engine.output);
    expect(count(engine.output, '"message":"request"')).to.be.at.least(ROUNDS);
    expect(count(engine.output, '"message":"failing"')).to.be.at.least(ROUNDS * 2);
    expect(count(engine.output, 'no way to postgres://[redacted]@db/shop')).to.be.at.least(ROUNDS);
    expect(count(engine.output, '[redacted]')).to.be.at.least(ROUNDS * KINDS.length);
    expect(engine.output).to.contain('loaded with [redacted]');
  });

  it('show none in any answer about traces, logs and metrics', async () => {
    const admin = new AdminClient(engine);
    const answer = async (path: string): Promise<string> => JSON.stringify(await admin.call('GET', OTEL + path));
    const { items } = await admin.call<{ items: readonly { traceId: string }[] }>('GET', `${OTEL}/traces?limit=100`);
    const paths = ['/traces?limit=100', '/logs?limit=5000', '/logs/facets', '/logs/histogram', '/metrics/now', '/telemetry', ...items.flatMap(({ traceId }) => [
      `/traces/${traceId}`, `/traces/${traceId}/path`, `/traces/${traceId}/spans`,
    ])];
    // Step processes send what they measured once a second.
    await waitUntil('the counter of the handlers', async () => (await answer('/metrics/now')).includes('app.logins'));
    const answers = await Promise.all(paths.map(answer));
    answers.forEach((text, at) => expectClean(paths[at] ?? '', text));
    expectClean('/metrics', (await request('GET', `${await engine.address('console')}/metrics`)).text);
    const all = answers.join('');
    for (const part of ['signed in with Bearer [redacted]', 'login?access_token=[redacted]', 'postgres://[redacted]@db/shop', 'app.logins']) expect(all).to.contain(part);
    expect(count(all, '[redacted]')).to.be.at.least(ROUNDS * KINDS.length);
  });

  it('are not found by a search either', async () => {
    const admin = new AdminClient(engine);
    for (const path of ['/logs?text=s3cret', '/traces?text=s3cret']) {
      expect(await admin.call<{ items: unknown[] }>('GET', OTEL + path)).to.have.property('items').that.deep.equals([]);
    }
  });

  it('are in no printed configuration', () => {
    for (const args of [[cliProgram(), 'config', 'print'], [cliProgram(), 'config', 'print', '--json'], [engineProgram(), '--config', 'config.yaml', '--print-config']]) {
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...cleanEnvironment(), ...ENV } });
      expect(status, stderr).to.equal(0);
      expect(stdout).to.contain('x-team');
      expectClean(args.slice(1).join(' '), stdout + stderr);
    }
  });

  it('stay in the dead letters, which hold the data of the application', async () => {
    const [letter] = await new AdminClient(engine).letters('Fail');
    expect(letter).to.have.nested.property('data.password').that.matches(PLANTED);
  });
});
