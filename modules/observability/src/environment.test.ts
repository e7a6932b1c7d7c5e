import { expect } from 'chai';
import { otelEnvironment } from './environment.js';
import { otlpEndpoint, shownEndpoint } from './export/otlp-endpoint.js';
import type { OtelConfig } from './otel.config.js';

const CONFIG = { enabled: true, exporter: 'memory', sampling_ratio: 1, endpoint_protocol: 'grpc', headers: {}, export_timeout_ms: 1000 } as unknown as OtelConfig;
type Env = Record<string, string>;

function problem(env: Env): string {
  try {
    otelEnvironment(env, 'here');
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the standard variables of OpenTelemetry', () => {
  it('give headers, resource and addresses', () => {
    const env = otelEnvironment({
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod, team=a%20b', OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a=b', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:1/base/', OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://logs:2/in',
    }, 'here');
    expect(env.resource).to.deep.equal({ 'deployment.environment': 'prod', team: 'a b' });
    const http: OtelConfig = { ...CONFIG, endpoint_protocol: 'http/protobuf', headers: { 'x-own': '1' } };
    expect(otlpEndpoint('TRACES', http, env)).to.deep.equal({ protocol: 'http', url: 'http://c:1/base/v1/traces', headers: { 'x-key': 'a=b', 'x-own': '1' }, timeoutMs: 1000 });
    expect(otlpEndpoint('LOGS', http, env).url).to.equal('http://logs:2/in');
    expect(otlpEndpoint('LOGS', { ...http, endpoint: 'http://mine:3' }, env).url).to.equal('http://mine:3/v1/logs');
    const none = otelEnvironment({}, 'here');
    expect([otlpEndpoint('LOGS', CONFIG, none).url, otlpEndpoint('LOGS', http, none).url]).to.deep.equal(['http://localhost:4317', 'http://localhost:4318/v1/logs']);
    expect(shownEndpoint({ url: 'http://u:p@c:1/v1/logs?key=x' })).to.equal('http://c:1/v1/logs');
  });

  it('are refused by name, without showing what may be secret', () => {
    for (const [variable, value] of [['OTEL_EXPORTER_OTLP_HEADERS', 's3cret'], ['OTEL_EXPORTER_OTLP_ENDPOINT', 's3cret'], ['OTEL_RESOURCE_ATTRIBUTES', 'a=%s3cret']] as const) {
      expect(problem({ [variable]: value })).to.contain(variable).and.not.contain('s3cret');
    }
  });
});
