import { useState } from 'react';
import type { PluginView, ViewTable } from '../../api/types.generated.js';
import { send } from '../../api/client.js';
import { refreshRoute, useRoute } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { useTogether } from '../../live/use-together.js';
import { Button, Input, Pairs, Panel } from '../../parts/controls.js';
import { Answer, Empty, Filtered } from '../../parts/data-state.js';
import { JsonTree } from '../../parts/json-tree.js';
import { attempt } from '../../parts/toasts.js';
import { NotThere } from '../../parts/not-there.js';
import { Columns, Content, Inspector } from '../../parts/view.js';
import { useParam, withSearch } from '../../url/location.js';
import { Cell } from './cell.js';
import { DeclaredTable } from './declared-table.js';
import { fieldOf, holds, keyText, moduleRoute } from './module-route.js';
import css from './plugins.module.css';
import { RowInspector } from './row-inspector.js';

export type ShownDeclaredView = Extract<PluginView, { readonly tier: 'declarative' }>;
type Body = Readonly<Record<string, unknown>>;
/** Longest time from an event to the next answer; milliseconds. */
const TOGETHER_MS = 500;

/** A view without code of its own: figures and a table over an answer of its module. */
export function DeclaredViewPage({ view }: { readonly view: ShownDeclaredView }) {
  const route = moduleRoute(view, view.source);
  const answer = useRoute<Body>(route);
  useAnswersAfterEvents(view, route);
  return (
    <Answer of={answer} what={view.title}>
      {(body) => (
        <Content>
          {view.figures && <Panel><Pairs items={view.figures.map(({ field, title = field, as }) => [title, <Cell key={field} value={fieldOf(body, field)} as={as} links />] as const)} /></Panel>}
          {view.table ? <Rows key={route} view={view} table={view.table} body={body} route={route} /> : !view.figures && <div className={css.page}><JsonTree value={body} /></div>}
        </Content>
      )}
    </Answer>
  );
}

function useAnswersAfterEvents(view: ShownDeclaredView, route: string): void {
  const later = useTogether(() => refreshRoute(route), TOGETHER_MS);
  useLive(moduleRoute(view, view.live ?? ''), {}, { events: later, gap: later, resumed: later }, view.live !== undefined);
}

interface RowsProps {
  readonly view: ShownDeclaredView;
  readonly table: ViewTable;
  readonly body: Body;
  readonly route: string;
}

function Rows({ view, table, body, route }: RowsProps) {
  const [q, setQ] = useParam('q');
  const [selected, setSelected] = useParam('row');
  const [further, setFurther] = useState<{ readonly of: Body; readonly pages: readonly Body[] }>({ of: body, pages: [] });
  // Pages after the first one belong to the answer that they followed.
  const pages = further.of === body ? further.pages : [];
  const rows = [body, ...pages].flatMap((page) => rowsOf(page, table));
  const shown = q === '' ? rows : rows.filter((row) => holds(row, q));
  const cursor = [body, ...pages].at(-1)?.['cursor'];
  const more = (): void => void attempt(async () => {
    const page = await send({ method: 'GET', path: route, query: { cursor: String(cursor) } }) as Body;
    setFurther({ of: body, pages: [...pages, page] });
  });
  const row = rows.find((one) => keyText(one, table.key) === selected);
  if (rows.length === 0) return <Empty title="Nothing is there yet"><p>{view.package} has answered without any row.</p></Empty>;
  return (
    <Columns>
      <Content>
        <div className={css.search}><Input type="search" aria-label={`Find in ${view.title}`} placeholder="Find in these rows" value={q} onChange={(event) => setQ(event.target.value, { replace: true })} /><span className="muted">{shown.length} of {rows.length}{cursor !== undefined && ' so far'}</span>{cursor !== undefined && <Button onClick={more}>More</Button>}</div>
        {shown.length === 0 ? <Filtered what="rows" query={q} onDrop={() => setQ(null)} /> : <DeclaredTable table={table} title={view.title} rows={shown} selected={selected} onSelect={(key) => setSelected(key, { replace: selected !== '' })} />}
      </Content>
      {row === undefined && selected !== '' && <Inspector title={selected} onClose={() => setSelected(null)}><NotThere what="row" name={selected} to={withSearch({ row: null })} list="All rows">{cursor !== undefined && 'It may be among those that More brings.'}</NotThere></Inspector>}
      {row !== undefined && <RowInspector key={selected} view={view} columns={table.columns} row={row} name={selected} onClose={() => setSelected(null)} onDone={() => refreshRoute(route)} />}
    </Columns>
  );
}

function rowsOf(body: Body, { items = 'items' }: ViewTable): readonly unknown[] {
  const rows = fieldOf(body, items);
  return Array.isArray(rows) ? rows : [];
}
