import { formatLocation } from '@treadle/api';
import type { StepEngine } from '@treadle/testing';
import { expect } from 'chai';
import { startEngine, stepFile, until } from './runtime.fixture.js';

const OK = stepFile('Ok', 'return { status: 200, body: "ok" };');
const BAD = 'steps/bad.step.js';
/** A Step file that does this when it is imported. */
const doing = (code: string): string => `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ${code}\n${stepFile('Bad', 'return { status: 200, body: "bad" };')}`;

const HARMS = {
  'ends its process': { code: 'process.exit(1);', finding: 'STEP_ENDS_PROCESS', says: 'ended its process' },
  'ends its process as if all were well': { code: 'process.exit(0);', finding: 'STEP_ENDS_PROCESS', says: 'ended its process' },
  'kills its process': { code: 'process.kill(process.pid, "SIGSEGV"); for (;;);', finding: 'STEP_ENDS_PROCESS', says: 'signal SIGSEGV' },
  'rejects a promise': { code: 'void Promise.reject(new Error("left"));', finding: 'STEP_IMPORT_FAILED', says: 'nobody handled it: left' },
  'connects to nobody': { code: 'require("node:net").connect(1);', finding: 'STEP_IMPORT_FAILED', says: 'ECONNREFUSED' },
  'loops for ever': { code: 'for (;;);', finding: 'STEP_LOAD_TIMEOUT', says: 'in 10 s' },
} as const;

describe('a Step file that harms its process while it is loaded', function isolation() {
  this.timeout(180_000);
  let test: StepEngine;
  afterEach(() => test.stop());

  const named = (finding: string): string | undefined => test.port.diagnostics().find(({ code, file }) => code === finding && file === BAD)?.message;

  for (const [what, { code, finding, says }] of Object.entries(HARMS)) {
    it(`is left out and named when it ${what}; the others serve`, async () => {
      test = await startEngine({ files: { [BAD]: doing(code), 'steps/ok.step.ts': OK, 'steps/zz.step.ts': stepFile('Zz', 'return { status: 200, body: 1 };') } });
      await test.serving('Ok');
      expect([await test.answer('Ok'), await test.answer('Zz')]).to.deep.equal(['ok', 1]);
      await until(() => named(finding) !== undefined);
      expect(named(finding)).to.include(says);
      expect(test.port.crashes()).to.deep.equal([]);
      expect(test.port.workers().map(({ state }) => state)).to.deep.equal(['ready']);
    });

    it(`does not reach those that serve in development when it ${what}`, async () => {
      test = await startEngine({ files: { [BAD]: doing(''), 'steps/ok.step.ts': OK }, mode: 'development' });
      await Promise.all([test.serving('Ok'), test.serving('Bad')]);
      const { pids } = test;
      await test.write(BAD, doing(code));
      await until(async () => {
        expect([await test.answer('Ok'), await test.answer('Bad')]).to.deep.equal(['ok', 'bad']);
        return named(finding) !== undefined;
      });
      expect(test.port.diagnostics().filter((each) => each.code === finding).map(formatLocation)).to.deep.equal([`${BAD}:1`]);
      expect(test.pids).to.deep.equal(pids);
      await test.write(BAD, doing('').replace('"bad"', '"good"'));
      await until(async () => await test.answer('Bad') === 'good');
    });
  }
});

describe('a handler that leaves errors behind', function handlers() {
  this.timeout(180_000);
  let test: StepEngine;
  afterEach(() => test.stop());

  const LATE = 'setTimeout(() => { throw new RangeError("late"); }, 10); return { status: 200, body: "answered" };';
  const REJECTS = 'void Promise.reject(new RangeError("stray")); await new Promise((r) => setTimeout(r, 2000)); return { status: 200 };';
  const SLOW = 'await new Promise((r) => setTimeout(r, 300)); return { status: 200, body: "slow" };';

  it('fails with them alone, and is named when it has answered', async () => {
    test = await startEngine({ files: { 'steps/late.step.ts': stepFile('Late', LATE), 'steps/rejects.step.ts': stepFile('Rejects', REJECTS), 'steps/slow.step.ts': stepFile('Slow', SLOW) } });
    await Promise.all(['Late', 'Rejects', 'Slow'].map((name) => test.serving(name)));
    const slow = test.answer('Slow');
    const failed = await test.invoke('Rejects').catch((error: unknown) => error);
    expect(failed).to.include({ code: 'unhandled_exception', message: 'stray' });
    expect(await test.answer('Late')).to.equal('answered');
    await until(() => test.records.some(({ message, stepName }) => message === 'an error was thrown and nobody caught it' && stepName === 'Late'));
    expect(await slow).to.equal('slow');
    expect(test.port.crashes()).to.deep.equal([]);
  });

  it('fails alone when it ends the process, and is named when it has answered', async () => {
    const files = {
      'steps/exits.step.ts': stepFile('Exits', 'process.exit(0);'), 'steps/aborts.step.ts': stepFile('Aborts', 'await new Promise((r) => setTimeout(r, 20)); process.abort();'),
      'steps/late.step.ts': stepFile('Late', LATE.replace('throw new RangeError("late")', 'process.exit(1)')), 'steps/slow.step.ts': stepFile('Slow', SLOW),
    };
    test = await startEngine({ files });
    await Promise.all(['Exits', 'Aborts', 'Late', 'Slow'].map((name) => test.serving(name)));
    const slow = test.answer('Slow');
    for (const name of ['Exits', 'Aborts']) {
      expect(await test.invoke(name).catch((error: unknown) => error)).to.have.nested.property('detail.errorName', 'HandlerExit');
    }
    expect(await test.answer('Late')).to.equal('answered');
    await until(() => test.records.some(({ stepName, fields }) => stepName === 'Late' && JSON.stringify(fields).includes('HandlerExit')));
    expect(await slow).to.equal('slow');
    expect(test.port.crashes()).to.deep.equal([]);
  });
});
