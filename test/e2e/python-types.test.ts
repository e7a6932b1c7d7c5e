import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { hasPyright, pythonTypeProblems } from '../support/python-types.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';

const SETTINGS = JSON.stringify({ pythonVersion: '3.10', extraPaths: [join(ROOT, 'plugins/runtime-python/python')] });
const IMPORTS = 'from treadle import StepConfig, cron, http, queue, state, step, stream, topic, trigger\n\n';

const RIGHT = `${IMPORTS}
@step({
    "name": "Right", "description": "all forms", "flows": ["f"], "enqueues": ["a", topic("b", {})],
    "triggers": [
        http("POST", "/x", {"body_schema": {}, "response_schema": {200: {}}}, middleware=[lambda request, ctx, next: next()]),
        http("POST", "/y", bodySchema={}, cors={"allowed_origins": ["*"]}),
        queue("x", config={"max_attempts": 3, "rate_limit": {"max": 1, "per_ms": 5}, "backoff": {"type": "fixed", "delayMs": 5}}),
        cron("@daily", timezone="Europe/Berlin", missed="all"), state(group="g"), stream("s", group_id="g", events=["create"]),
        trigger("acme.mqtt", anything=1), {"type": "http", "method": "GET", "path": "/"},
    ],
})
async def right(input, ctx): ...


config: StepConfig = {"name": "Named", "triggers": []}
step(config, right)
`;

describe('the types of Python Steps', function () {
  this.timeout(120_000);
  before(function () {
    requireOrSkip(this, hasPyright(), 'pyright, which "npm install" brings');
  });

  async function problems(source: string): Promise<string> {
    const folder = tempFolder();
    writeFiles(folder, { 'pyrightconfig.json': SETTINGS, 'steps/a_step.py': source });
    return pythonTypeProblems(folder);
  }

  it('accept every form, in both spellings', async () => {
    expect(await problems(RIGHT)).to.equal('');
  });

  it('refuse misspelt keys of configs and triggers', async () => {
    const mistakes = ['step({"name": "A", "triggrs": []})', 'http("GET", "/", body_schem={})', 'queue("a", config={"max_attempt": 3})', 'cron("@daily", timezon="UTC")',
      'http("GET", "/", {"querySchem": {}})', 'state(grup="g")', 'stream("s", {"event": []})', 'config: StepConfig = {"name": "A", "trigers": []}'];
    const said = await problems(IMPORTS + mistakes.join('\n'));
    expect(mistakes.filter((_mistake, index) => !said.includes(`a_step.py:${index + 3}:`)), said).to.deep.equal([]);
  });
});
