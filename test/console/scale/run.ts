// npm run console:scale -- [--logs 100000] [--spans 20000] [--keys 1000000] [--steps 1000] [--items 10000] [--rate 1200] [--seconds 600].
// Measures the page of the console in Chromium over an engine full of data. One JSON line per view, then one of the tail.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { stopAllEngines } from '../../support/engine-process.js';
import { BROWSERS } from '../browser.js';
import { runScale } from './scale-run.js';

const { values } = parseArgs({
  options: {
    logs: { type: 'string', default: '100000' }, spans: { type: 'string', default: '20000' }, keys: { type: 'string', default: '1000000' }, steps: { type: 'string', default: '1000' },
    items: { type: 'string', default: '10000' }, rate: { type: 'string', default: '1200' }, seconds: { type: 'string', default: '600' },
  },
});
const number = (name: keyof typeof values): number => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0; got ${values[name]}`);
};
const executablePath = BROWSERS.find((place) => existsSync(place));
if (executablePath === undefined) throw new Error('no Chromium (apt-get install chromium)');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
  page.setDefaultTimeout(120_000);
  const amounts = { logs: number('logs'), spans: number('spans'), keys: number('keys'), steps: number('steps'), items: number('items') };
  const { views, tail } = await runScale(page, { amounts, perSecond: number('rate'), seconds: number('seconds') }, (text) => process.stderr.write(`[scale] ${text}\n`));
  for (const view of views) process.stdout.write(`${JSON.stringify({ test: 'console', ...view })}\n`);
  process.stdout.write(`${JSON.stringify({ test: 'console', view: 'tail', ...tail })}\n`);
} finally {
  await browser.close();
  await stopAllEngines();
}
