import { expect } from 'chai';
import { EngineProcess } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const NODE = `export const config = { name: 'N', triggers: [{ type: 'http', method: 'GET', path: '/n' }] };
export const handler = async () => {
  console.log('a\\nb\\n\\nc');
  console.error(new Error('boom\\nsecond'));
  process.stdout.write('w1\\nw2\\nw');
  console.log('3');
  console.log('x'.repeat(100_000));
  console.log('end');
  return { status: 200 };
};
`;
const PYTHON = `import logging, sys, traceback, warnings
config = {"name": "P", "triggers": [{"type": "http", "method": "GET", "path": "/p"}, {"type": "http", "method": "GET", "path": "/async"}]}
def handler(input, ctx):
    print("a\\nb\\n\\nc")
    print("d", "e", sep="\\n", end="")
    print("f")
    try:
        1 / 0
    except Exception:
        traceback.print_exc()
    logging.getLogger("own").addHandler(logging.StreamHandler())
    logging.getLogger("own").error("logged\\nin two lines")
    warnings.warn("careful")
    sys.stdout.write("w1\\nw2\\nw")
    print("3")
    print("x" * 100_000)
    print("no end", end="")
    print("other", file=sys.stderr)
    return {"status": 200}
`;
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
`;

describe('what one call prints', function () {
  this.timeout(120_000);
  let engine: EngineProcess;
  before(async function () {
    await requirePython(this);
    engine = new EngineProcess({ cwd: tempApplication({ 'steps/n.step.js': NODE, 'steps/p_step.py': PYTHON, 'config.yaml': CONFIG }), args: ['--config', 'config.yaml'] });
  });
  after(() => engine.stop());

  /** Texts of the records of a Step, once the last one is there. */
  async function printed(path: string, step: string, last: string): Promise<readonly string[]> {
    const url = await engine.address('http');
    await waitUntil('the Step', async () => (await request('GET', `${url}${path}`)).status === 200);
    const texts = (): string[] => engine.output.split('\n').filter((line) => line.includes(`"stepName":"${step}"`)).map((line) => (JSON.parse(line) as { message: string }).message);
    await waitUntil('the log', () => texts().includes(last));
    return texts().map((text) => (text.startsWith('xxx') ? 'x…' : text));
  }

  it('is one record of the log, in Node.js', async () => {
    const [first, error, ...rest] = await printed('/n', 'N', 'end');
    expect(first).to.equal('a\nb\n\nc');
    expect(error).to.match(/^Error: boom\nsecond\n {4}at /);
    expect(rest).to.deep.equal(['w1', 'w2', 'w3', 'x…', 'end']);
  });

  it('is one record of the log, in Python', async () => {
    const texts = await printed('/p', 'P', 'no end');
    expect(texts.find((text) => text.startsWith('Traceback'))).to.match(/^Traceback .*\n.* in handler\n.*\n(.*\n)?ZeroDivisionError: division by zero$/);
    expect(texts.find((text) => text.includes('UserWarning'))).to.match(/: UserWarning: careful\n {2}warnings\.warn\("careful"\)$/);
    expect(texts.filter((text) => !/^Traceback|UserWarning/.test(text))).to.deep.equal([
      'a\nb\n\nc', 'd\nef', 'logged\nin two lines', 'w1', 'w2', 'w3', 'x…', 'other', 'no end',
    ]);
  });
});
