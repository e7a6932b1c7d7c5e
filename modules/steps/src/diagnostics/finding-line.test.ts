import { expect } from 'chai';
import { findingLine } from './finding-line.js';

const SOURCE = [
  "import { step } from 'treadle';", // 1
  '// metod is a word in a comment before the config', // 2
  'export const config = {', // 3
  "  name: 'Same',", // 4
  "  enqueues: ['ticket.created',", // 5
  "    'ticket.craeted'],", // 6
  '  triggers: [', // 7
  "    { type: 'http', path: '/x/:id', metod: 'GET' },", // 8
  "    { type: 'cron', expression: '99 * * * *' },", // 9
  '  ],', // 10
  '  body_limit: 5,', // 11
  '  virtual_enqueue: [],', // 12
  "  more: { type: 'queue',", // 13
  '    max_attemps: 3 },', // 14
  '};',
].join('\n');

describe('findingLine', () => {
  const cases: readonly [string, string, number][] = [
    ['STEP_UNKNOWN_KEY', 'config.triggers[0]: a trigger of kind "http" has no key "metod"', 8],
    ['STEP_UNKNOWN_KEY', 'config: a Step config has no key "virtualEnqueue"', 12],
    ['STEP_UNKNOWN_KEY', 'config.triggers[0].config: a trigger of kind "queue" has no key "maxAttemps"', 14],
    ['STEP_DUPLICATE_NAME', 'config.name: Step "Same" exists already in steps/a.step.ts:3', 4],
    ['STEP_TOPIC_NOT_CONSUMED', 'config.enqueues: no Step consumes topic "ticket.craeted"; its messages are kept for 7 days', 6],
    ['STEP_BAD_CRON', 'config.triggers[1].expression: "99 * * * *" is no cron expression', 9],
    ['STEP_BAD_VALUE', 'config.triggers[1].expression: expected string, got 5', 9],
    ['STEP_BAD_VALUE', 'config.triggers[0].bodyLimit: must be <= 3', 11],
    ['STEP_DUPLICATE_TRIGGER', 'config.triggers[0]: GET /x/:id is served already by Step "Same" in steps/o.step.ts:3', 8],
    ['STEP_DUPLICATE_TRIGGER', 'config.triggers[0]: GET /elsewhere is served already by Step "Same" in steps/o.step.ts:3', 3],
    ['STEP_BAD_SCHEMA', 'triggers[0].bodyLimit: a schema must be something else', 11],
    ['STEP_MISSING_KEY', 'config.triggers[0]: a trigger of kind "http" needs "path"', 7],
    ['STEP_MISSING_KEY', 'config: a Step config needs "name"', 3],
    ['STEP_BAD_VALUE', 'config.flows: expected array, got 1', 3],
    ['STEP_IMPORT_FAILED', 'Cannot find "ticket.created"', 3],
  ];
  for (const [code, message, line] of cases) it(`says ${line} for ${message}`, () => expect(findingLine({ code, message, remedy: '' }, SOURCE, 3)).to.equal(line));

  it('says the first line without a config', () => expect(findingLine({ code: 'X', message: 'config.nothing: "here"', remedy: '' }, SOURCE)).to.equal(1));
});
