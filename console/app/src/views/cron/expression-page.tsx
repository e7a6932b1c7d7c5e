import { useEffect, useState } from 'react';
import type { CronExpressionTest, CronTick } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Badge, Button, Field, Input, Panel } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { ScrollPage } from '../../parts/view.js';
import { useParam } from '../../url/location.js';
import { inWords } from './in-words.js';

const COUNT = 10;
/** Its runs are those from now on. */
const EVERY_MS = 60_000;
/** A key is asked about when no other follows for so long; milliseconds. */
const PAUSE_MS = 250;
const EXAMPLES = ['0 9 * * 1-5', '*/15 * * * *', '30 */5 * * * *', '0 0 1 * *', '@hourly'];
const DST: Readonly<Record<NonNullable<CronTick['dst']>, string>> = {
  shifted: 'the clocks leave this time out: it comes right after', first: 'the clocks show this time twice: the first time', again: 'the clocks show this time twice: the second time', changed: 'the clocks were changed before',
};

/** What the engine makes of an expression of 5 or 6 fields, before it stands in a Step. */
export function ExpressionPage() {
  const [expression, setExpression] = useParam('expression', '0 9 * * 1-5');
  const [timezone, setTimezone] = useParam('timezone', 'UTC');
  const asked = useAfterPause({ expression, timezone });
  const answer = useApi('GET /cron/expression', { ...asked, count: COUNT }, { enabled: asked.expression !== '', keep: true, every: () => EVERY_MS });
  const wrong = answer.error?.status === 400 ? answer.error.message : undefined;
  return (
    <ScrollPage label="Expression">
      <Panel title="Try an expression">
        <div className="row wrap" style={{ alignItems: 'start' }}>
          <Field label="Expression: minute hour day month weekday, with a sixth field in front for seconds"><Input className="mono" value={expression} aria-invalid={wrong !== undefined} onChange={(event) => setExpression(event.target.value, { replace: true })} /></Field>
          <Field label="Time zone"><Input list="time-zones" value={timezone} onChange={(event) => setTimezone(event.target.value, { replace: true })} /></Field>
          <datalist id="time-zones">{Intl.supportedValuesOf('timeZone').map((zone) => <option key={zone} value={zone} />)}</datalist>
        </div>
        <p className="row wrap muted">for example {EXAMPLES.map((one) => <Button key={one} look="plain" className="mono" onClick={() => setExpression(one)}>{one}</Button>)}</p>
        {wrong !== undefined && <p role="alert"><Badge tone="bad">no expression</Badge> {wrong}</p>}
      </Panel>
      {wrong === undefined && expression !== '' && <Answer of={answer} what="its runs">{(tested) => <Tested tested={tested} />}</Answer>}
    </ScrollPage>
  );
}

function Tested({ tested: { expression, timezone, next } }: { readonly tested: CronExpressionTest }) {
  return (
    <Panel title={<span className="row wrap"><span>{inWords(expression)}, in {timezone}</span><span className="grow" /><CopyButton text={`cron('${expression}', { timezone: '${timezone}' })`} label="Copy the trigger" /></span>}>
      {next.length === 0 ? <p>It never runs: there is no such date.</p> : (
        <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Next runs">
          <table className={table.table}>
            <thead><tr><th>In {timezone}</th><th>Here</th><th>Clocks</th></tr></thead>
            <tbody>{next.map(({ at, local, dst }) => <tr key={at}><td className="mono">{local.replace('T', ' ')}</td><td><Time at={at} /></td><td>{dst ? <Badge tone="warn">{DST[dst]}</Badge> : ''}</td></tr>)}</tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function useAfterPause<T extends object>(value: T): T {
  const [settled, settle] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(JSON.parse(key) as T), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
