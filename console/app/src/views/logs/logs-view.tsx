import { useMemo } from 'react';
import { linkTo } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { useWindowKeys } from '../../keys/use-window-keys.js';
import { Button, Kbd } from '../../parts/controls.js';
import { Answer, Empty, Filtered, Note } from '../../parts/data-state.js';
import { Menu, SaveLink } from '../../parts/menu.js';
import { QueryBar, withCondition } from '../../parts/query-bar.js';
import { Columns, Side, View } from '../../parts/view.js';
import { navigate, patchSearch, useParam } from '../../url/location.js';
import { Facets } from './facets.js';
import { Histogram } from './histogram.js';
import { LogPatterns } from './log-patterns.js';
import { LogTail } from './log-tail.js';

const PAGE = 1_000;
const BUCKETS = 90;
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
  const order = first === 'oldest' ? 'asc' : 'desc';
  const page = useApi('GET /logs', { q, from, to, order, limit: PAGE }, { keep: true });
  const facets = useApi('GET /logs/facets', { q, from, to }, { keep: true });
  const bars = useApi('GET /logs/histogram', { q, from, to, buckets: BUCKETS }, { keep: true });
  const [as, setAs] = useParam('as', 'lines');
  const filtered = q !== '' || from !== '' || to !== '';
  const suggestions = useMemo(() => [...LEVELS, ...(facets.data?.items ?? []).flatMap(({ field, values }) => values.slice(0, 3).map(({ value }) => withCondition('', nameInQuery(field), value)))], [facets.data]);
  const turn = (): void => setFirst(order === 'asc' ? null : 'oldest');
  const fold = (): void => setWrap(wrap === '' ? 'on' : null, { replace: true });
  useCommands([
    { title: 'Lines or their patterns', keys: ['p'], run: () => setAs(as === 'patterns' ? null : 'patterns') },
    { title: 'Oldest or newest line first', keys: ['a'], run: turn }, { title: 'Break long lines, or cut them', keys: ['w'], run: fold },
  ]);
  useWindowKeys();
  const meta = useApi('GET /meta');
  const note = page.data?.note ?? meta.data?.notes.logs;
  return (
    <View title="Logs" bar={<>
      <QueryBar value={q} onQuery={setQuery} label="Query logs" example={'level:>=warn step:Notify* ticketId:T-1042 -"health check"'} suggestions={suggestions} error={page.error} />
      {page.data && <span className="muted">{plural(page.data.total, 'line')}</span>}
      <Button on={as === 'patterns'} onClick={() => setAs(as === 'patterns' ? null : 'patterns')}>Patterns <Kbd>p</Kbd></Button>
      {as !== 'patterns' && <><Button on={wrap !== ''} onClick={fold}>Wrap <Kbd>w</Kbd></Button><Button on={order === 'asc'} onClick={turn}>Oldest first <Kbd>a</Kbd></Button></>}
      {(from !== '' || to !== '') && <Button onClick={() => patchSearch({ from: null, to: null })}>All times</Button>}
      <Menu title="Export">{EXPORTS.map(({ format, title, hint }) => <SaveLink key={format} href={linkTo('GET /logs/export', { q, from, to, format })} title={title} hint={hint} />)}</Menu>
    </>}>
      {note && <Note>{note}</Note>}
      {order === 'asc' && <Note>The oldest line is the first; lines that come are not added. <Button look="plain" onClick={turn}>Follow them</Button></Note>}
      {page.data?.unknownFields?.length ? <Note>Nothing that is kept has {page.data.unknownFields.map(({ field }) => `“${field}”`).join(', ')}.</Note> : null}
      {bars.data && bars.data.buckets.length > 0 && <Histogram of={bars.data} />}
      <Columns>
        {facets.data && facets.data.items.length > 0 && <Side label="Fields"><Facets items={facets.data.items} q={q} onQuery={setQuery} /></Side>}
        {as === 'patterns' ? <LogPatterns q={q} from={from} to={to} /> : <Answer of={page} what="logs">
          {(found) => (found.items.length > 0 ? <LogTail key={order} page={found} asked={{ q, from, to, order }} onQuery={setQuery} />
            : filtered ? <Filtered what="lines" query={q || 'the range of time'} onDrop={() => navigate('/logs')} /> : <Empty title="Nothing was logged yet"><p>Steps log with <code>ctx.logger.info('message', {'{'} field {'}'})</code>; what they print is here, too.</p></Empty>)}
        </Answer>}
      </Columns>
    </View>
  );
}

/** Fields of the record itself have shorter names in queries. */
export function nameInQuery(field: string): string {
  return { stepName: 'step', traceId: 'trace', spanId: 'span' }[field] ?? field;
}
