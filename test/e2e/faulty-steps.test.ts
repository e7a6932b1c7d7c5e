import { execFile } from 'node:child_process';
import { expect } from 'chai';
import { AdminClient } from '../support/admin-client.js';
import { cleanEnvironment, cliProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { CONSUMER_OF_TEXT, type Fault, filesOf, GOOD, MISCONFIGURED, ODD, UNLOADABLE } from '../support/faulty-steps.js';
import { request } from '../support/http-client.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const config = (more = ''): string => `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
${more}`;

interface Diagnostic {
  readonly file: string;
  readonly line?: number;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

describe('faulty Step files', function () {
  this.timeout(180_000);
  afterEach(stopAllEngines);

  const faults = [...UNLOADABLE, ...MISCONFIGURED];
  const told = (found: readonly Diagnostic[], expected: readonly Fault[]): void => {
    const place = ({ file, line, code }: { readonly file: string; readonly line?: number; readonly code: string }): string => `${file}:${line} ${code}`;
    expect(found.map(place).sort()).to.deep.equal(expected.map(place).sort());
    const silent = expected.filter(({ file, culprit, remedy }) => {
      const of = found.find((one) => one.file === file);
      return !of?.message.includes(culprit) || !of.remedy.includes(remedy) || of.remedy === '';
    });
    expect(silent.map(({ file }) => found.find((one) => one.file === file))).to.deep.equal([]);
  };

  async function started(files: Readonly<Record<string, string>>): Promise<{ readonly url: string; readonly diagnostics: (count: number) => Promise<readonly Diagnostic[]> }> {
    const cwd = tempApplication(files);
    const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'] });
    const url = await engine.ready();
    const admin = new AdminClient(engine);
    const read = async (): Promise<readonly Diagnostic[]> => (await admin.call<{ diagnostics: readonly Diagnostic[] }>('GET', '/steps')).diagnostics;
    const diagnostics = async (count: number): Promise<readonly Diagnostic[]> => {
      // All processes have registered by then; too few or too many are for the comparison to show.
      await waitUntil('the diagnostics', async () => (await read()).length >= count, 30_000).catch(() => undefined);
      return read();
    };
    return { url, diagnostics };
  }

  async function checked(files: Readonly<Record<string, string>>): Promise<{ readonly code: number; readonly diagnostics: readonly Diagnostic[] }> {
    const cwd = tempApplication(files);
    return new Promise((resolve) => {
      execFile(process.execPath, [cliProgram(), 'check', '--json'], { cwd, env: cleanEnvironment(), maxBuffer: 1e7 }, (error, stdout) => {
        const { steps } = JSON.parse(stdout) as { steps: { diagnostics: readonly Diagnostic[] } };
        resolve({ code: Number(error?.code ?? 0), diagnostics: steps.diagnostics });
      });
    });
  }

  it('there are thirty and more, in every language', () => {
    const all = [...faults, ...ODD].map(({ file }) => file);
    expect(new Set(all).size).to.equal(all.length).and.at.least(30);
    for (const ending of ['.step.ts', '.step.js', '_step.py']) expect(all.filter((file) => file.endsWith(ending)).length, ending).to.be.at.least(5);
  });

  it('give their line and remedy in dev, one each, and leave the other Steps serving', async () => {
    const { url, diagnostics } = await started({ ...GOOD, ...filesOf(faults), 'config.yaml': config() });
    told(await diagnostics(faults.length), faults);
    for (const path of ['/good/1', '/good-script', '/good-python']) {
      await waitUntil(path, async () => (await request('GET', url + path)).status === 200);
    }
    expect((await request('GET', `${url}/health`)).status).to.equal(200);
    expect((await request('GET', `${url}/unknown-key`)).status).to.equal(404);
  });

  it('give the same in check, exit code 65', async () => {
    const { code, diagnostics } = await checked({ ...GOOD, ...filesOf(faults), 'config.yaml': config() });
    told(diagnostics, faults);
    expect(code).to.equal(65);
  });

  it('that are only odd serve all the same, in dev and check', async () => {
    const files = { ...GOOD, ...CONSUMER_OF_TEXT, ...filesOf(ODD), 'config.yaml': config('  - class: modules::cron::CronModule\n    enabled: false\n') };
    const { url, diagnostics } = await started(files);
    told(await diagnostics(ODD.length), ODD);
    for (const path of ['/good/1', '/sends', '/body-on-get', '/needs-cron']) expect((await request('GET', url + path)).status, path).to.equal(200);
    told((await checked(files)).diagnostics, ODD);
  });
});
