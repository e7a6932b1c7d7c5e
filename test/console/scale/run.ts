// npm run console:scale -- [--logs 100000] [--spans 20000] [--keys 1000000] [--steps 1000] [--items 10000] [--rate 1200] [--seconds 600] [--clock 1].
// Measures the page of the console in Chromium over an engine full of data. One JSON line of a cold load and of each view, then one of the tail, and what is above its budget; then it
// ends with 1. Processor time is judged; with --clock 1 times of the clock are, too: only on a machine that does nothing else.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { aboveZero, campaignOptions, progress, say } from '../../support/campaign.js';
import { stopAllEngines } from '../../support/engine-process.js';
import { BROWSERS } from '../browser.js';
import { aboveBudget } from './budgets.js';
import { runScale } from './scale-run.js';

const WATCHED = { scrollSeconds: 3, idleSeconds: 10 };
const { rate: perSecond, seconds, clock, ...amounts } = campaignOptions({ clock: 0, logs: 100_000, spans: 20_000, keys: 1_000_000, steps: 1000, items: 10_000, rate: 1200, seconds: 600 });
aboveZero({ ...amounts, rate: perSecond, seconds });
const executablePath = BROWSERS.find((place) => existsSync(place));
if (executablePath === undefined) throw new Error('no Chromium (apt-get install chromium)');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
  page.setDefaultTimeout(120_000);
  const result = await runScale(page, { amounts, perSecond, seconds, ...WATCHED }, (text) => progress('scale', text));
  const { cold, views, tail, idlePercent } = result;
  say(JSON.stringify({ test: 'console', view: 'cold load', ...cold }));
  for (const view of views) say(JSON.stringify({ test: 'console', ...view }));
  say(JSON.stringify({ test: 'console', view: 'tail', idlePercent, ...tail }));
  const above = aboveBudget(result, clock > 0);
  for (const one of above) say(`above its budget: ${one}`);
  if (above.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
  await stopAllEngines();
}
