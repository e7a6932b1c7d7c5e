import { useMemo } from 'react';
import { linkTo } from '../../api/client.js';
import { refresh, useApi } from '../../api/use-api.js';
import { plural } from '../../format/numbers.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { useCommands } from '../../keys/commands.js';
import { useWindowKeys } from '../../keys/use-window-keys.js';
import { Button, Kbd } from '../../parts/controls.js';
import { Answer, Empty, Fault, Filtered, Former, Note } from '../../parts/data-state.js';
import { Menu, SaveLink } from '../../parts/menu.js';
import { QueryBar } from '../../parts/query-bar.js';
import { TimeRange } from '../../parts/time-range.js';
import { withCondition } from '../../parts/with-condition.js';
import { Columns, Content, Side, View } from '../../parts/view.js';
import { navigate, patchSearch, useParam } from '../../url/location.js';
import { WatchButton } from '../../watches/watch-button.js';
import { Facets } from './facets.js';
import { FarLine } from './far-line.js';
import { Histogram, linesOf } from './histogram.js';
import { LogPatterns } from './log-patterns.js';
import { LogTail } from './log-tail.js';

const PAGE = 1_000;
const BUCKETS = 90;
/** How often what stands beside the lines is asked for while some come: the engine looks at all that it keeps for it. */
const BESIDE_MS = 10_000;
const BESIDE = ['GET /logs/facets', 'GET /logs/histogram', 'GET /logs/patterns'] as const;
/** All lines of the query, however many the page shows. */
const EXPORTS = [
  { format: 'ndjson', title: 'JSON lines', hint: 'Every line with all of its fields' }, { format: 'csv', title: 'CSV', hint: 'For spreadsheets; fields in one column' }, { format: 'text', title: 'Text', hint: 'A line each, to be read' },
];
const LEVELS = ['level:error', 'level:>=warn', 'level:>=info', 'source:engine', 'source:step', 'has:error'];

/** What the engine and the Steps said. The engine does the matching, over everything that is kept. */
export default function LogsView() {
  const [q, setQuery] = useParam('q');
  const [from] = useParam('from');
  const [to] = useParam('to');
  const [first, setFirst] = useParam('first');
  const [wrap, setWrap] = useParam('wrap');
  const [repeats, setRepeats] = useParam('repeats');
  const [line, setLine] = useParam('line');
  const order = first === 'oldest' ? 'asc' : 'desc';
  const page = useApi('GET /logs', { q, from, to, order, limit: PAGE }, { keep: true });
  const facets = useApi('GET /logs/facets', { q, from, to }, { keep: true });
  const bars = useApi('GET /logs/histogram', { q, from, to, buckets: BUCKETS }, { keep: true });
  const [as, setAs] = useParam('as', 'lines');
  const follows = from === '' && to === '';
  const anew = useTogether(() => BESIDE.forEach((id) => refresh(id, { q })), BESIDE_MS);
  const isEmpty = page.data?.items.length === 0;
  const begun = (): void => {
    anew();
    if (isEmpty) refresh('GET /logs', { q });
  };
  // Where there are lines their list follows them: one subscription is enough.
  useLive('logs', q === '' ? {} : { q }, { events: begun, gap: begun }, follows && (as === 'patterns' || isEmpty));
  const lines = follows && bars.data && !bars.isPlaceholderData ? linesOf(bars.data) : page.data?.total;
  const filtered = q !== '' || from !== '' || to !== '';
  const suggestions = useMemo(() => [...LEVELS, ...(facets.data?.items ?? []).flatMap(({ field, values }) => values.slice(0, 3).map(({ value }) => withCondition('', nameInQuery(field), value)))], [facets.data]);
  const turn = (): void => setFirst(order === 'asc' ? null : 'oldest');
  const foldRepeats = (): void => setRepeats(repeats === 'apart' ? null : 'apart', { replace: true });
  const fold = (): void => setWrap(wrap === '' ? 'on' : null, { replace: true });
  useCommands([
    { title: 'Lines or their patterns', keys: ['p'], run: () => setAs(as === 'patterns' ? null : 'patterns') },
    { title: 'Oldest or newest line first', keys: ['a'], run: turn }, { title: 'Break long lines, or cut them', keys: ['w'], run: fold },
    { title: 'Repeated lines as one, or each', keys: ['r'], run: foldRepeats },
  ]);
  useWindowKeys();
  const meta = useApi('GET /meta');
  const note = page.data?.note ?? meta.data?.notes.logs;
  return (
    <View title="Logs" bar={<>
      <QueryBar value={q} onQuery={setQuery} label="Query logs" example={'level:>=warn step:Notify* ticketId:T-1042 -"health check"'} suggestions={suggestions} error={page.error} />
      {lines !== undefined && <span className="muted">{plural(lines, 'line')}</span>}
      <Button on={as === 'patterns'} onClick={() => setAs(as === 'patterns' ? null : 'patterns')}>Patterns <Kbd>p</Kbd></Button>
      {as !== 'patterns' && <><Button on={wrap !== ''} onClick={fold}>Wrap <Kbd>w</Kbd></Button><Button on={repeats !== 'apart'} onClick={foldRepeats}>Fold repeats <Kbd>r</Kbd></Button><Button on={order === 'asc'} onClick={turn}>Oldest first <Kbd>a</Kbd></Button></>}
      <TimeRange />
      {q !== '' && <WatchButton key={q} watch={{ kind: 'logs', q }} title="Notify on a match" />}
      <Menu title="Export">{EXPORTS.map(({ format, title, hint }) => <SaveLink key={format} href={linkTo('GET /logs/export', { q, from, to, format })} title={title} hint={hint} />)}</Menu>
    </>}>
      {note && <Note>{note}</Note>}
      {order === 'asc' && <Note>The oldest line is the first; lines that come are not added. <Button look="plain" onClick={turn}>Follow them</Button></Note>}
      {page.data?.unknownFields?.length ? <Note>Nothing that is kept has {page.data.unknownFields.map(({ field }) => `“${field}”`).join(', ')}.</Note> : null}
      {page.error === null && <><Fault of={bars} what="lines over time" /><Fault of={facets} what="fields and their values" /></>}
      {bars.data && bars.data.buckets.length > 0 && <Histogram of={bars.data} />}
      <Columns>
        {facets.data && facets.data.items.length > 0 && <Side label="Fields"><Former of={facets} /><Facets items={facets.data.items} q={q} onQuery={setQuery} /></Side>}
        {as === 'patterns' ? <LogPatterns q={q} from={from} to={to} /> : <Answer of={page} what="logs">
          {(found) => (found.items.length > 0 ? <LogTail key={order} page={found} asked={{ q, from, to, order }} onCome={anew} onQuery={setQuery} />
            : filtered ? <><Content><Filtered what="lines" query={q} onDrop={() => navigate('/logs')} onQuery={setQuery} onAllTimes={from === '' && to === '' ? undefined : () => patchSearch({ from: null, to: null })} /></Content>{line !== '' && <FarLine key={line} id={line} q={q} onQuery={setQuery} onClose={() => setLine(null)} />}</> : <Empty title="Nothing was logged yet"><p>Steps log with <code>ctx.logger.info('message', {'{'} field {'}'})</code>; what they print is here, too.</p></Empty>)}
        </Answer>}
      </Columns>
    </View>
  );
}

/** Fields of the record itself have shorter names in queries. */
export function nameInQuery(field: string): string {
  return { stepName: 'step', traceId: 'trace', spanId: 'span' }[field] ?? field;
}
