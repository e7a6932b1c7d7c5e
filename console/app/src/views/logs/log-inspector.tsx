import { useState } from 'react';
import type { LogRecord } from '../../api/types.generated.js';
import { writeJson } from '../../api/json.js';
import { useApi } from '../../api/use-api.js';
import { Button, ButtonLink, Kbd, Pairs } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer } from '../../parts/data-state.js';
import { JsonTree, preview } from '../../parts/json-tree.js';
import { withCondition } from '../../parts/query-bar.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { Inspector } from '../../parts/view.js';
import { Stack } from '../traces/stack.js';
import { paths } from '../../url/paths.js';
import { Level } from './level.js';
import { LogLine } from './log-line.js';

interface Props {
  readonly line: LogRecord;
  readonly q: string;
  readonly onQuery: (q: string) => void;
  readonly onClose: () => void;
}

const AROUND = 12;

/** A line with its fields; each value can be filtered for or out. */
export function LogInspector({ line, q, onQuery, onClose }: Props) {
  const [context, setContext] = useState(false);
  const { stack, ...fields } = line.fields ?? {};
  const actions = [
    { label: '+', title: 'Filter for', run: (path: string, value: unknown) => onQuery(withCondition(q, path, textOf(value))) },
    { label: '−', title: 'Filter out', run: (path: string, value: unknown) => onQuery(withCondition(q, path, textOf(value), true)) },
  ];
  const hasTrace = !/^0*$/.test(line.traceId);
  return (
    <Inspector title={<><Level level={line.level} /> {line.message}</>} onClose={onClose}>
      <Pairs items={[['Time', <Time key="time" at={line.timestamp} />], line.stepName !== '' && ['Step', <StepRef key="step" step={line.stepName} />], hasTrace && ['Trace', <TraceRef key="trace" id={line.traceId} span={line.spanId} />], ['Service', line.service]]} />
      <div className="row wrap">
        {hasTrace && <ButtonLink look="primary" to={paths.trace(line.traceId, line.spanId)}>Show trace <Kbd>t</Kbd></ButtonLink>}
        <Button on={context} onClick={() => setContext(!context)}>Lines around it</Button>
        <Button onClick={() => onQuery(withCondition(q, 'message', line.message, true))}>Hide like this</Button>
        <CopyButton text={() => writeJson(line, 2)} label="Copy JSON" />
      </div>
      {typeof stack === 'string' && <Stack text={stack} />}
      {Object.keys(fields).length > 0 && <JsonTree value={fields} actions={actions} />}
      {context && <Around id={line.id} from={Date.parse(line.timestamp)} />}
    </Inspector>
  );
}

function Around({ id, from }: { readonly id: number; readonly from: number }) {
  const answer = useApi('GET /logs/context', { id, before: AROUND, after: AROUND });
  return <Answer of={answer} what="the lines around it">{({ items }) => <ul>{items.map((line) => <LogLine key={line.id} line={line} from={from} />)}</ul>}</Answer>;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : preview(value);
}
