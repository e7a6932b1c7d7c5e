import { useState } from 'react';
import type { RecordedInput, SpanRow, TraceCapture } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { writeJson } from '../../api/json.js';
import { useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { ActButton } from '../../parts/act-button.js';
import { Button, Kbd } from '../../parts/controls.js';
import { Answer } from '../../parts/data-state.js';
import { JsonEditor } from '../../parts/json-editor.js';
import { faultOf } from '../../parts/json-fault.js';
import { JsonTree } from '../../parts/json-tree.js';
import { attempt } from '../../parts/toasts.js';
import { navigate } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { useCapture } from './capture.js';

/** The run of a handler that a span is, or that is next below it. */
export function handlerOf(rows: readonly SpanRow[]): SpanRow | undefined {
  return rows.find(({ name }) => name.startsWith('handler '));
}

type Run = Pick<SpanRow, 'traceId' | 'spanId'>;

/** What a handler was started with, and its way to run once more, also with another input; the two runs are compared then. `r` does so where it is all that is open. */
export function ReplayPanel({ handler, keyed = false }: { readonly handler: Run; readonly keyed?: boolean }) {
  const capture = useCapture();
  const answer = useApi('GET /steps/inputs/{span}', { span: handler.spanId }, { enabled: !capture });
  if (capture) return <CapturedInput of={capture.inputs} span={handler.spanId} />;
  if (answer.error && answer.error.status < 500 && answer.error.status > 0) return <p className="muted" role="note">It cannot be run again: {answer.error.message}.</p>;
  return <Answer of={answer} what="its input">{(recorded) => <Replay recorded={recorded} handler={handler} keyed={keyed} />}</Answer>;
}

function CapturedInput({ of: { items, note }, span }: { readonly of: TraceCapture['inputs']; readonly span: string }) {
  const recorded = items.find((one) => one.span === span);
  return recorded ? <JsonTree value={recorded.input} open={5} /> : <p className="muted" role="note">The file has no input of this run{note !== undefined && `: ${note}`}.</p>;
}

function Replay({ recorded: { span, step, input }, handler, keyed }: { readonly recorded: RecordedInput; readonly handler: Run; readonly keyed: boolean }) {
  const [edited, setEdited] = useState<string>();
  const fault = edited === undefined ? undefined : faultOf(edited);
  const run = (): void => void attempt(async () => {
    const { traceId = '' } = await call('POST /run', { body: { kind: 'replay', span, ...edited !== undefined && { input: edited } } });
    navigate(paths.replay({ traceId: handler.traceId, spanId: span }, traceId, step));
  });
  useCommands([{ title: 'Run again from here', ...keyed && { keys: ['r'] }, run: () => void (fault === undefined && run()) }]);
  return (
    <>
      <p className="muted">{step} alone runs once more, in a trace of its own; what it writes and enqueues is real.</p>
      <div className="row wrap">
        <ActButton look="primary" disabled={fault !== undefined} onClick={run}>{edited === undefined ? 'Run again from here' : 'Run with this input'}{keyed && <> <Kbd>r</Kbd></>}</ActButton>
        <Button on={edited !== undefined} onClick={() => setEdited(edited === undefined ? writeJson(input, 2) : undefined)}>Edit input</Button>
      </div>
      {edited === undefined ? <JsonTree value={input} open={5} /> : <JsonEditor label="Input" value={edited} onChange={setEdited} />}
      {fault && <p role="alert" className="muted">{fault}</p>}
    </>
  );
}
