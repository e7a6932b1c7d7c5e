import { useMemo } from 'react';
import type { CronCalendar } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { count, plural } from '../../format/numbers.js';
import { Badge, Button, Panel } from '../../parts/controls.js';
import { Answer, Empty, Note } from '../../parts/data-state.js';
import { StepRef } from '../../parts/refs.js';
import { Time, useZone } from '../../parts/time.js';
import { ScrollPage } from '../../parts/view.js';
import { useParam } from '../../url/location.js';
import { type Calendar, calendarOf, type Day, type Hour } from './calendar.js';
import css from './calendar.module.css';

const EVERY_MS = 60_000;

/** What runs in the next 7 days, hour by hour, and what runs at the same time as something else. */
export function CalendarPage({ step }: { readonly step: string | undefined }) {
  const [from, setFrom] = useParam('from');
  const answer = useApi('GET /cron/calendar', { from }, { keep: true, every: () => EVERY_MS });
  return (
    <ScrollPage label="Calendar">
      {from !== '' && <div className="row wrap"><span>From <Time at={from} precise={false} /> on</span><Button onClick={() => setFrom(null)}>From now on</Button></div>}
      <Answer of={answer} what="the calendar">{(found) => <Week found={found} step={step} onFrom={setFrom} />}</Answer>
    </ScrollPage>
  );
}

function Week({ found: { items, truncated }, step, onFrom }: { readonly found: CronCalendar; readonly step: string | undefined; readonly onFrom: (from: string) => void }) {
  const zone = useZone();
  const calendar = useMemo(() => calendarOf(items, zone === 'utc' ? 'utc' : 'local'), [items, zone]);
  const last = items.at(-1)?.at;
  if (items.length === 0) return <Empty title="Nothing is to come in these 7 days"><p>Triggers that are paused do not run.</p></Empty>;
  return (
    <>
      {truncated && last !== undefined && <Note>There are more than {count(items.length)} runs in 7 days: those until <Time at={last} precise={false} /> are shown. <Button look="plain" onClick={() => onFrom(last)}>Go on from there</Button></Note>}
      <Grid calendar={calendar} step={step} zone={zone === 'utc' ? 'UTC' : 'local time'} />
      <Collisions calendar={calendar} step={step} />
    </>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** From so many runs in an hour on a cell is as strong as it gets. */
const MANY = 12;

function Grid({ calendar, step, zone }: { readonly calendar: Calendar; readonly step: string | undefined; readonly zone: string }) {
  const [chosen, choose] = useParam('hour');
  const [date = '', hour = ''] = chosen.split('T');
  const day = calendar.days.find((one) => one.date === date);
  return (
    <>
      <div className={css.scroll} tabIndex={0} role="region" aria-label={`Runs by day and hour, ${zone}`}>
        <table className={css.grid}>
          <thead><tr><th scope="col">{zone}</th>{HOURS.map((one) => <th key={one} scope="col">{one}</th>)}</tr></thead>
          <tbody>{calendar.days.map((one) => <Row key={one.date} day={one} step={step} chosen={one.date === date ? hour : ''} onChoose={(at) => choose(at === undefined ? null : `${one.date}T${at}`)} />)}</tbody>
        </table>
      </div>
      {day && <Chosen day={day} hour={hour} step={step} onClose={() => choose(null)} />}
    </>
  );
}

function Row({ day, step, chosen, onChoose }: { readonly day: Day; readonly step: string | undefined; readonly chosen: string; readonly onChoose: (hour: string | undefined) => void }) {
  const weekday = WEEKDAYS[new Date(`${day.date}T12:00:00Z`).getUTCDay()] ?? '';
  return (
    <tr>
      <th scope="row"><span>{weekday}</span> {day.date.slice(5)}</th>
      {day.hours.map((hour, at) => {
        const { ticks, collisions } = ofStep(hour, step);
        if (ticks.length === 0) return <td key={HOURS[at]} />;
        const name = HOURS[at] ?? '';
        return (
          <td key={name}>
            <button
              type="button" className={css.cell} aria-pressed={chosen === name} onClick={() => onChoose(chosen === name ? undefined : name)} style={{ '--share': Math.min(1, ticks.length / MANY) } as object}
              aria-label={`${weekday} ${day.date}, ${name} h: ${plural(ticks.length, 'run')}${collisions > 0 ? `, ${plural(collisions, 'collision')}` : ''}`}
            >{collisions > 0 && <span className={css.mark}>▲</span>}{ticks.length}</button>
          </td>
        );
      })}
    </tr>
  );
}

function Chosen({ day, hour, step, onClose }: { readonly day: Day; readonly hour: string; readonly step: string | undefined; readonly onClose: () => void }) {
  const { ticks } = ofStep(day.hours[Number(hour)] ?? { ticks: [], collisions: 0 }, step);
  return (
    <Panel title={<span className="row"><span className="grow">{day.date}, {hour} h</span><Button look="plain" onClick={onClose}>Close</Button></span>}>
      <ul className={css.list}>{ticks.map((tick) => <li key={`${tick.at} ${tick.step} ${tick.trigger}`} className="row wrap"><Time at={tick.at} precise={false} /><StepRef step={tick.step} /><span className="mono muted">{tick.trigger}</span></li>)}</ul>
    </Panel>
  );
}

const MOST_COLLISIONS = 50;

function Collisions({ calendar, step }: { readonly calendar: Calendar; readonly step: string | undefined }) {
  const all = calendar.collisions.filter(({ ticks }) => step === undefined || ticks.some((tick) => tick.step === step));
  if (all.length === 0) return <Panel title="Collisions"><p className="muted">No two triggers run in the same minute.</p></Panel>;
  return (
    <Panel title={<>Collisions <Badge tone="warn">{count(all.length)}</Badge></>}>
      <p className="muted">Triggers that run in the same minute. They run side by side; another minute spreads the load.</p>
      <ul className={css.list}>{all.slice(0, MOST_COLLISIONS).map(({ minute, at, ticks }) => <li key={minute} className="row wrap"><Time at={at} precise={false} />{[...new Set(ticks.map((tick) => tick.step))].map((name) => <StepRef key={name} step={name} />)}</li>)}</ul>
      {all.length > MOST_COLLISIONS && <p className="muted">The first {MOST_COLLISIONS} are listed; the table marks all.</p>}
    </Panel>
  );
}

/** With a Step only its runs, and what collides with them. */
function ofStep(hour: Hour, step: string | undefined): Hour {
  if (step === undefined) return hour;
  const ticks = hour.ticks.filter((tick) => tick.step === step);
  return { ticks, collisions: ticks.length === 0 ? 0 : hour.collisions };
}
