// Long form: npm run soak -- [--minutes 30] [--rate N] [--leak engine|worker] [--samples FILE]. Half load unless a rate is given.
// A line for each sample goes to stderr, one of JSON with the verdict to stdout; ends with 1 when memory grows.
import { writeFileSync } from 'node:fs';
import { aboveZero, campaignOptions, oneOf, progress, tell } from '../support/campaign.js';
import { type Sample, soak } from './src/soak-run.js';

const { minutes, rate, ...values } = campaignOptions({ minutes: 30, rate: 0, leak: undefined, samples: undefined });
aboveZero({ minutes });
const leak = oneOf('leak', values.leak, ['engine', 'worker']);

const onSample = ({ second, ...megabytes }: Sample): void => {
  progress('soak', `${second} s ${Object.entries(megabytes).map(([name, value]) => `${name} ${value.toFixed(1)}`).join(', ')} MB`);
};
const { samples, ...result } = await soak({ seconds: minutes * 60, leak, onSample, ...rate === 0 ? {} : { rate } });
if (values.samples !== undefined) writeFileSync(values.samples, `${JSON.stringify(samples)}\n`);
tell('soak', result.growing.length === 0 && Object.keys(result.failures).length === 0, { minutes, ...result });
