import { join } from 'node:path';
import { seededRandom } from '@treadle/testing';
import { expect } from 'chai';
import { Bench, fixture, type Ended } from './engine-process.fixture.js';
import { mutate } from './mutate-config.fixture.js';

const RUNS = Number(process.env['TREADLE_FUZZ_RUNS'] ?? 20);
const SEED = Number(process.env['TREADLE_FUZZ_SEED'] ?? 1);
const PARALLEL = 2;
const LONGEST_MS = 30_000;

/** `file:line:column`, the file alone for what concerns all of it, or a key's path; then severity, code, text. */
const FINDING = /^(?:(?:config\.yaml|\((?:default|development|production) preset\))(?::\d+){0,2} {2})?(?:error|warning) {2}[A-Z_]+ {2}\S/;
const PLACED = /^(?:config\.yaml|\(\w+ preset\))|^(?:error|warning) {2}[A-Z_]+ {2}[\w.[\]]+: /;
const SUMMARY = /^(?:\d+ errors?(?:, \d+ warnings?)?|config\.yaml: valid\. .*)$/;
const STACK = /^\s+at .+[:(].+:\d+:\d+\)?$/m;

describe('treadle-engine --check, mutated configurations', () => {
  let bench: Bench;
  before(() => { bench = new Bench(); });
  after(() => bench.remove());

  it(`answers ${RUNS} of them with 0 or 78, in time, each finding in its form and with its place (seed ${SEED})`, async function () {
    this.timeout(10_000 + RUNS * LONGEST_MS);
    // Each runs in a folder of its own, one deeper than the bench.
    const probes = bench.probeText(fixture('fuzz-probes.yaml')).replace(bench.probe, join('..', bench.probe));
    const sources = [fixture('base-sample.yaml'), fixture('fuzz-http.yaml'), probes];
    const failures: string[] = [];
    const worker = async (first: number): Promise<void> => {
      for (let run = first; run < RUNS; run += PARALLEL) {
        const text = mutate(sources[run % sources.length] ?? '', seededRandom(SEED * 1_000_003 + run));
        const faults = faultsOf(await check(text, `run-${run}`));
        if (faults.length > 0) failures.push(`run ${run}: ${faults.join('; ')}\n--- configuration ---\n${text}`);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, (_, first) => worker(first)));
    expect(failures, `${failures.length} of ${RUNS} failed; the first:\n${failures.slice(0, 3).join('\n')}`).to.deep.equal([]);
  });

  async function check(text: string, folder: string): Promise<Ended> {
    const process = bench.startIn(folder, { 'config.yaml': text }, ['--check', '--config', 'config.yaml']);
    const timer = setTimeout(() => process.signal('SIGKILL'), LONGEST_MS);
    const ended = await process.ended;
    clearTimeout(timer);
    return ended;
  }
});

function faultsOf({ code, stdout, stderr }: Ended): string[] {
  const lines = stdout.trimEnd().split('\n');
  const summary = lines.pop() ?? '';
  const findings = lines.filter((line) => /^\S/.test(line) && /(?:^| {2})(?:error|warning) {2}/.test(line));
  const misplaced = findings.find((line) => !FINDING.test(line) || !PLACED.test(line));
  const faulty = findings.some((line) => /(?:^| {2})error {2}/.test(line));
  return [
    ...(code === 0 || code === 78 ? [] : [`exit ${code} ${stdout}`]),
    ...(stderr === '' ? [] : [`standard error: ${stderr}`]),
    ...(STACK.test(stdout) ? [`a stack trace: ${stdout}`] : []),
    ...(SUMMARY.test(summary) ? [] : [`the last line is ${JSON.stringify(summary)}`]),
    ...(misplaced === undefined ? [] : [`no place or form: ${JSON.stringify(misplaced)}`]),
    ...(faulty === (code === 78) ? [] : [`exit ${code}, but ${faulty ? 'there is an error' : 'there is none'}: ${stdout}`]),
  ];
}
