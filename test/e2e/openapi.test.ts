import { execFileSync } from 'node:child_process';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { cleanEnvironment, cliProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

describe('the OpenAPI document of an application', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('is the same from the command and from an engine in development, and valid', async () => {
    const cwd = copyOfSample('tickets');
    const env = { ...cleanEnvironment(), HTTP_PORT: '0', WORKER_PORT: '0' };
    const printed = JSON.parse(execFileSync(process.execPath, [cliProgram(), 'openapi'], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as Document;
    expect((await new Validator().validate(structuredClone(printed) as never)).valid).to.equal(true);
    const operations = Object.values(printed.paths).flatMap((item) => Object.values(item));
    expect(operations.map(({ operationId }) => operationId)).to.include.members(['CreateTicket', 'GetTicket', 'ListTickets']);
    const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev'], env: { HTTP_PORT: '0', WORKER_PORT: '0' } });
    const url = await engine.ready();
    const served = await waitUntil('all Steps in the document', async () => {
      const { json } = await request('GET', `${url}/openapi.json`);
      return Object.keys((json as Document).paths ?? {}).length === Object.keys(printed.paths).length && json as Document;
    });
    expect(served).to.deep.equal(printed);
  });
});
