// Long form: npm run damage -- [--only 'part of a name'] [--when running|start] [--lives 40]. Prints a line for each way and a table; ends
// with 1 when something that was acknowledged was lost without a word, damage was noticed too late, or the log grew beyond its limit.
import { campaignOptions, fail, oneOf, say } from '../support/campaign.js';
import { stopAllEngines } from '../support/engine-process.js';
import { type DamageResult, runWay, type Verdict } from './src/damage-run.js';
import { runShortLives } from './src/short-lives.js';
import { OTHER_WAYS } from './src/other-ways.js';
import { WAYS } from './src/ways.js';

const LOG_LIMIT = 64 * 1024 * 1024;
const VALUES_PER_LIFE = 150;
/** The documentation promises about a second for these, see operations.md. */
const PROMISED = /^(?:treadle\.db.*|database and log|log and (?:index|mark)) (?:is|are) (?:removed|emptied|cut in half|replaced by a former one)$|loses its last block$/;
const NOTICED_MS = 1_500;
const { only, lives, ...values } = campaignOptions({ only: '', when: undefined, lives: 40 });
const when = oneOf('when', values.when, ['running', 'start']);

const results: DamageResult[] = [];
const isLate = ({ way, noticedMs = 0 }: DamageResult): boolean => PROMISED.test(way) && noticedMs > NOTICED_MS;
for (const way of [...WAYS, ...OTHER_WAYS]) {
  if (!way.name.includes(only) || (when !== undefined && when !== way.when)) continue;
  const result = await runWay(way).finally(stopAllEngines);
  results.push(result);
  say(`${result.when.padEnd(7)} | ${result.way.padEnd(50)} | ${result.verdict.padEnd(9)} | ${result.acknowledged} acknowledged`
    + `${result.missing > 0 ? `, ${result.missing} missing` : ''}${result.noticedMs === undefined ? '' : `, noticed after ${result.noticedMs} ms${isLate(result) ? ', TOO LATE' : ''}`} | ${result.text}`);
}
const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
say(`${results.length} ways: ${count('refused')} refused, ${count('recovered')} recovered, ${count('told')} told, ${count('silent')} silent`);
if (count('silent') > 0 || results.some(isLate)) fail();

if (lives > 0) {
  const left = await runShortLives(lives, VALUES_PER_LIFE);
  say(JSON.stringify({ test: 'short lives', ...left, limit: LOG_LIMIT }));
  if (left.largestLogBytes > LOG_LIMIT) fail();
}
