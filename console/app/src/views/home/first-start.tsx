import type { StepsAnswer } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { useEditorKey } from '../../keys/use-editor-key.js';
import { ActButton } from '../../parts/act-button.js';
import { ButtonLink, Panel } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { StepRef } from '../../parts/refs.js';
import { attempt } from '../../parts/toasts.js';
import { paths } from '../../url/paths.js';

type Step = StepsAnswer['items'][number];

/** What starts something first where no Step has an HTTP trigger. */
export function FirstStart({ steps }: { readonly steps: readonly Step[] }) {
  const [topic, tick] = [firstOf(steps, 'queue'), firstOf(steps, 'cron')];
  const code = topic?.step ?? tick?.step;
  useEditorKey(code?.file, code?.line);
  if (steps.length === 0) return <FirstStep />;
  return (
    <Panel title="1 · Run a Step">
      <p>{topic ?? tick ? 'No Step has an HTTP trigger.' : 'No Step has a trigger for HTTP, a topic or a time: what they run for is named beside them.'}</p>
      {topic && <p className="row wrap"><ButtonLink look="primary" to={paths.topic(topic.of, 'publish')}>Enqueue to {topic.of}</ButtonLink><span className="muted">which starts <StepRef step={topic.step.config.name} /></span></p>}
      {tick && <p className="row wrap"><RunNow step={tick.step.config.name} primary={!topic} /><span className="muted">otherwise by <code>{tick.of}</code></span></p>}
    </Panel>
  );
}

/** The first Step, in each language. */
const FIRST = [
  ['steps/hello.step.ts', "import { http, step } from 'treadle';\n\nexport const { config, handler } = step(\n  { name: 'Hello', triggers: [http('GET', '/hello')] },\n  async () => ({ status: 200, body: { hello: 'world' } }),\n);\n"],
  ['steps/hello_step.py', 'from treadle import http, step\n\n\n@step({"name": "Hello", "triggers": [http("GET", "/hello")]})\nasync def hello(input, ctx):\n    return {"status": 200, "body": {"hello": "world"}}\n'],
] as const;

function FirstStep() {
  return (
    <Panel title="1 · Write the first Step">
      <p>No Steps were found. Save one of these, in TypeScript or in Python:</p>
      {FIRST.map(([file, code]) => <div key={file}><div className="row wrap"><code className="grow">{file}</code><CopyButton text={code} label={`Copy ${file.slice('steps/'.length)}`} /></div><pre className="mono" tabIndex={0}>{code}</pre></div>)}
    </Panel>
  );
}

function RunNow({ step, primary }: { readonly step: string; readonly primary: boolean }) {
  const run = async (): Promise<void> => {
    await call('POST /run', { body: { kind: 'cron', step } });
    refresh('/traces');
    refresh('/cron');
  };
  return <ActButton look={primary ? 'primary' : undefined} onClick={() => void attempt(run, `${step} runs`)}>Run {step} now</ActButton>;
}

interface Found {
  readonly step: Step;
  /** The topic, or the expression. */
  readonly of: string;
}

function firstOf(steps: readonly Step[], type: 'queue' | 'cron'): Found | undefined {
  for (const step of steps) {
    const trigger = step.config.triggers.find((one) => one.type === type);
    if (trigger) return { step, of: String(trigger[type === 'queue' ? 'topic' : 'expression'] ?? '') };
  }
  return undefined;
}
