import { Telemetry, type LogRecord } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';
import { OtlpReceiver } from '../export/otlp-receiver.fixture.js';
import { id, span, TRACE } from '../span.fixture.js';

const KEYS = ['password', 'apiKey', 'http.request.header.authorization', 'db_password', 'clientSecret', 'session-token', 'set-cookie', 'privateKey', 'connectionString', 'credentials'];
const secret = (number: number): string => `s3cret${String(number).padStart(4, '0')}`;
const jwt = (number: number): string => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${secret(number)}`;

/** Texts that have a secret in the shape of one. */
const SHAPES: readonly ((number: number) => string)[] = [
  (number) => `connect postgres://app:${secret(number)}@db/x failed`, (number) => `Authorization: Bearer ${secret(number)}`, (number) => `expired: ${jwt(number)}`,
  (number) => `-----BEGIN PRIVATE KEY-----\n${secret(number)}\n-----END PRIVATE KEY-----`, (number) => `GET /x?access_token=${secret(number)}&page=1`, (number) => `login failed password=${secret(number)}`,
  (number) => `bad body {"user":"x","password":"${secret(number)}"}`, (number) => `xoxb-1234567890-${secret(number)}`, (number) => `Basic ${secret(number)}`, (number) => `redis://:${secret(number)}@cache`,
];

describe('two hundred planted secrets', function () {
  this.timeout(180_000);
  let test: TestComposition | undefined;
  const receiver = new OtlpReceiver();
  after(async () => {
    await test?.stop();
    await receiver.close();
  });

  it('are in no answer, no line of the log, and nothing that a collector gets', async () => {
    test = await createTestComposition({ yaml: `
engine: { implicit_modules: false }
modules:
  - { class: modules::console::ConsoleModule, config: { port: 0, auth: { token: open } } }
  - { class: modules::observability::OtelModule, config: { exporter: both, logs_exporter: both, metrics_exporter: both, endpoint: "${await receiver.listenGrpc()}" } }
` });
    const telemetry = test.engine.port(Telemetry) as Telemetry;
    const record = (message: string, fields?: Record<string, unknown>): LogRecord => ({
      timestamp: new Date().toISOString(), level: 'info', message, traceId: TRACE, spanId: id(1), service: 's', stepName: 'S', ...fields === undefined ? {} : { fields },
    });
    let planted = 0;
    const next = (): number => planted += 1;
    for (const key of KEYS) {
      telemetry.span(span(next(), { attributes: { [key]: secret(planted) }, events: [{ name: 'e', time: 1, attributes: { [key]: secret(next()) } }] }));
      telemetry.log(record('by key', { [key]: secret(next()), deep: { list: [{ [key]: secret(next()) }] } }));
      telemetry.counter('c', { [key]: secret(next()) }, { description: '', unit: '1' }).add(1);
    }
    for (const shape of SHAPES) {
      telemetry.span(span(next(), { name: shape(planted), attributes: { text: shape(next()), list: [shape(next())] }, events: [{ name: shape(next()), time: 1 }] }));
      telemetry.span(span(next(), { error: { type: 'E', message: shape(planted), stack: `E: ${shape(next())}\n    at x` } }));
      telemetry.log(record(shape(next()), { text: shape(next()), deep: [{ text: shape(next()) }] }));
      telemetry.counter('c', { text: shape(next()) }, { description: '', unit: '1' }).add(1);
      telemetry.span(span(next(), { attributes: { 'url.full': shape(planted) } }));
      for (let more = 0; more < 4; more += 1) telemetry.log(record(`in a dump: ${shape(next())}`));
    }
    expect(planted).to.be.at.least(200);
    const base = `${test.url('console')}/api/v1/modules/modules%3A%3Aobservability%3A%3AOtelModule`;
    const paths = [`/traces`, `/traces/${TRACE}?limit=20000`, `/traces/${TRACE}/path`, `/traces/${TRACE}/spans`, '/logs?limit=5000', '/logs/facets', '/metrics', '/metrics/now', '/telemetry'];
    const answers = await Promise.all(paths.map(async (path) => (await fetch(base + path, { headers: { authorization: 'Bearer open' } })).text()));
    await test.stop();
    expect(answers.join('').length).to.be.greaterThan(20_000);
    const sent = JSON.stringify(receiver.received, (_key, value: unknown) => value);
    expect(receiver.received.length).to.be.greaterThan(2);
    for (const [where, text] of [...paths.map((path, at) => [path, answers[at] ?? '']), ['sent', sent], ['log', JSON.stringify(test.logs)]] as const) {
      expect(/s3cret\d+/.exec(text ?? '')?.[0], where).to.equal(undefined);
    }
  });
});
