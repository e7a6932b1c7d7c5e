import type { LogRecord } from '../../api/types.generated.js';
import { writeJson } from '../../api/json.js';
import { useApi } from '../../api/use-api.js';
import { plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { Button, ButtonLink, Kbd, Pairs } from '../../parts/controls.js';
import { copying, copyText } from '../../parts/copy.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer, Note } from '../../parts/data-state.js';
import { JsonTree, preview } from '../../parts/json-tree.js';
import { withCondition } from '../../parts/with-condition.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { Inspector } from '../../parts/view.js';
import { Stack } from '../traces/stack.js';
import { useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { useColumns } from '../../url/use-columns.js';
import { Level } from './level.js';
import { LogLine } from './log-line.js';
import { hasTrace, hidden } from './use-line-keys.js';

interface Props {
  readonly line: LogRecord;
  /** Those that say the same and are folded with it, or it alone. */
  readonly run: readonly LogRecord[];
  readonly q: string;
  readonly onQuery: (q: string) => void;
  readonly onClose: () => void;
  /** It was asked for by itself. */
  readonly far?: boolean;
}

const AROUND = 12;

/** A line with its fields; each value can be filtered for or out. */
export function LogInspector({ line, run, q, onQuery, onClose, far = false }: Props) {
  const [around, setAround] = useParam('around');
  const [, toggleColumn] = useColumns();
  const { stack, ...fields } = line.fields ?? {};
  const actions = [
    { label: '+', title: 'Filter for', run: (path: string, value: unknown) => onQuery(withCondition(q, path, textOf(value))) },
    { label: '−', title: 'Filter out', run: (path: string, value: unknown) => onQuery(withCondition(q, path, textOf(value), true)) },
    { label: '▥', title: 'Column', run: toggleColumn },
    { label: '⧉', title: 'Copy the name', run: (path: string) => copyText(path) },
  ];
  const ofTrace = hasTrace(line);
  useCommands([copying('the line as JSON', () => writeJson(line, 2)), copying('the message', () => line.message), copying('the line as Markdown', () => `\`${line.timestamp}\` **${line.level}** ${line.message}`)]);
  return (
    <Inspector title={<><Level level={line.level} /> {line.message}</>} onClose={onClose}>
      {far && <Note>It is not among the lines that are listed: others are newer, or the query means others.</Note>}
      <Pairs items={[['Time', <Time key="time" at={line.timestamp} />], line.stepName !== '' && ['Step', <StepRef key="step" step={line.stepName} />], ofTrace && ['Trace', <TraceRef key="trace" id={line.traceId} span={line.spanId} />], ['Service', line.service], run.length > 1 && ['Repeated', <Repeated key="repeated" run={run} />]]} />
      <div className="row wrap">
        {ofTrace && <ButtonLink look="primary" to={paths.trace(line.traceId, line.spanId)}>Show trace <Kbd>t</Kbd></ButtonLink>}
        <Button on={around !== ''} onClick={() => setAround(around === '' ? 'all' : null)}>Lines around it <Kbd>c</Kbd></Button>
        <Button onClick={() => onQuery(hidden(q, line))}>Hide like this <Kbd>h</Kbd></Button>
        <CopyButton text={() => writeJson(line, 2)} label="Copy JSON" />
      </div>
      {typeof stack === 'string' && <Stack text={stack} />}
      {Object.keys(fields).length > 0 && <JsonTree value={fields} actions={actions} />}
      {around !== '' && <Around line={line} scope={around} onScope={setAround} />}
    </Inspector>
  );
}

/** How often and when, whatever the order of the list. */
function Repeated({ run }: { readonly run: readonly LogRecord[] }) {
  const times = run.map(({ timestamp }) => timestamp).sort();
  return <>{plural(run.length, 'line')} in a row, from <Time at={times[0] ?? ''} /> to <Time at={times.at(-1) ?? ''} /></>;
}

/** Lines before and after a line: of everybody, of its Step or of its trace. */
function Around({ line, scope, onScope }: { readonly line: LogRecord; readonly scope: string; readonly onScope: (scope: string) => void }) {
  const answer = useApi('GET /logs/context', { id: line.id, before: AROUND, after: AROUND, scope });
  const tabs = [{ id: 'all', title: 'All' }, ...line.stepName === '' ? [] : [{ id: 'step', title: 'Same Step' }], ...hasTrace(line) ? [{ id: 'trace', title: 'Same trace' }] : []];
  return (
    <>
      <Tabs label="Lines around it" tabs={tabs} current={scope} onPick={onScope} />
      <Answer of={answer} what="the lines around it">{({ items }) => <ul>{items.map((one) => <LogLine key={one.id} line={one} from={Date.parse(line.timestamp)} />)}</ul>}</Answer>
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : preview(value);
}
