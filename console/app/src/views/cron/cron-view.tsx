import type { CronRun, CronTrigger } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useChanges } from '../../live/use-changes.js';
import { duration } from '../../format/duration.js';
import { Badge, Panel } from '../../parts/controls.js';
import type { Tone } from '../../parts/tone.js';
import { Answer, Empty, Fault } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import { StepRef, TraceRef } from '../../parts/refs.js';
import { Tabs } from '../../parts/tabs.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { ScrollPage, View } from '../../parts/view.js';
import { Link } from '../../url/link.js';
import { useParam, usePath } from '../../url/location.js';
import { matchPath } from '../../url/match-path.js';
import { CalendarPage } from './calendar-page.js';
import { ExpressionPage } from './expression-page.js';
import { inWords } from './in-words.js';
import { SteerTrigger } from './steer-trigger.js';

const TABS = [{ id: 'triggers', title: 'Triggers' }, { id: 'calendar', title: 'Calendar' }, { id: 'expression', title: 'Try an expression' }];
const RUNS = 30;
const NEXT = 5;
/** No topic tells of triggers. */
const EVERY_MS = 5_000;
const TONES: Readonly<Record<CronRun['status'], Tone>> = { running: 'info', succeeded: 'ok', failed: 'bad', skipped: 'warn', abandoned: 'bad' };

/** Cron triggers, when they run next and how they ran. */
export default function CronView() {
  const step = matchPath('/cron/:step', usePath())?.['step'];
  const answer = useApi('GET /cron', {}, { every: () => EVERY_MS });
  const [tab, setTab] = useParam('as', 'triggers');
  return (
    <View title="Cron" bar={step !== undefined && <><Link to="/cron">All triggers</Link><span className="muted">{step}</span></>}>
      <Tabs label="Of cron" tabs={TABS} current={tab} onPick={setTab} />
      {tab === 'expression' ? <ExpressionPage /> : (
        <Answer of={answer} what="cron triggers">{({ items }) => (items.length === 0 ? <NoTrigger /> : step !== undefined && !items.some((one) => one.step === step) ? <NotThere what="Step with a cron trigger" name={step} to="/cron" list="All triggers" /> : tab === 'calendar' ? <CalendarPage step={step} /> : <Triggers items={items.filter((one) => step === undefined || one.step === step)} step={step} />)}</Answer>
      )}
    </View>
  );
}

function NoTrigger() {
  return <Empty title="No Step has a cron trigger"><pre>{"triggers: [cron('0 9 * * *', { timezone: 'Europe/Berlin' })]"}</pre></Empty>;
}

function Triggers({ items, step }: { readonly items: readonly CronTrigger[]; readonly step: string | undefined }) {
  const runs = useApi('GET /cron/runs', { step, limit: RUNS }, { every: () => EVERY_MS });
  const calendar = useApi('GET /cron/calendar');
  useChanges(items.map(({ nextAt }) => nextAt).join(), () => refresh('GET /cron/calendar'), 0);
  return (
    <ScrollPage label="Cron">
      <Fault of={calendar} what="when triggers run after that" />
      {items.map((one) => <Trigger key={`${one.step} ${one.trigger}`} of={one} next={(calendar.data?.items ?? []).filter((tick) => tick.step === one.step && tick.trigger === one.trigger).slice(0, NEXT).map(({ at }) => at)} />)}
      <Panel title="Runs"><Answer of={runs} what="runs">{(page) => (page.items.length === 0 ? <p className="muted">Nothing has run yet.</p> : <Runs items={page.items} />)}</Answer></Panel>
    </ScrollPage>
  );
}

function Trigger({ of: trigger, next }: { readonly of: CronTrigger; readonly next: readonly string[] }) {
  const { step, expression, timezone, paused, pausedUntil, nextAt, skipped, lastRun } = trigger;
  return (
    <Panel title={<span className="row wrap"><StepRef step={step} />{paused ? <Badge tone="warn">paused{pausedUntil !== undefined && <> until <Time at={pausedUntil} precise={false} /></>}</Badge> : <Badge tone="ok">on</Badge>}</span>}>
      <p><code>{expression}</code> · {inWords(expression)}, in <strong>{timezone}</strong></p>
      <p>{nextAt === null ? 'No run is to come.' : <>Next <Time at={nextAt} precise={false} />{next.length > 1 && <span className="muted">, then {next.slice(1).map((at, index) => <span key={at}>{index > 0 && ', '}<Time at={at} precise={false} /></span>)}</span>}</>}</p>
      {skipped.map(({ at, why }) => <p key={at} className="row wrap"><Badge tone="warn">skipped</Badge><Time at={at} precise={false} /><span className="muted">{why}</span></p>)}
      {lastRun && <p className="row wrap">Last <Badge tone={TONES[lastRun.status]}>{lastRun.status}</Badge><Time at={lastRun.firedAt} />{lastRun.durationMs !== undefined && duration(lastRun.durationMs)}<TraceRef id={lastRun.traceId} /></p>}
      <SteerTrigger of={trigger} />
    </Panel>
  );
}

function Runs({ items }: { readonly items: readonly CronRun[] }) {
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Runs">
      <table className={table.table}>
        <thead><tr><th>Status</th><th>Step</th><th>Scheduled</th><th className={table.narrow}>Late by</th><th className={table.num}>Took</th><th>Trace</th><th className={table.narrow}>Why</th></tr></thead>
        <tbody>{items.map((run) => (
          <tr key={run.id}><td><Badge tone={TONES[run.status]}>{run.status}</Badge></td><td>{run.step}</td><td><Time at={run.scheduledAt} /></td><td className={table.narrow}>{duration(Math.max(0, Date.parse(run.firedAt) - Date.parse(run.scheduledAt)))}</td><td className={table.num}>{run.durationMs === undefined ? '' : duration(run.durationMs)}</td><td><TraceRef id={run.traceId} /></td><td className={table.narrow}>{run.error ?? (run.manual ? 'by hand' : run.missed ? 'missed before' : '')}</td></tr>
        ))}</tbody>
      </table>
    </div>
  );
}
