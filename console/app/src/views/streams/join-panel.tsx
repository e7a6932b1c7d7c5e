import { useRef, useState } from 'react';
import type { JoinEvent } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { useCommands } from '../../keys/commands.js';
import { useLive } from '../../live/use-live.js';
import { ActButton } from '../../parts/act-button.js';
import { Badge, Button, Field, Input, Kbd } from '../../parts/controls.js';
import controls from '../../parts/controls.module.css';
import { Note } from '../../parts/data-state.js';
import { preview } from '../../parts/json-tree.js';
import { ScrollPage } from '../../parts/view.js';
import { MOD } from '../../shell/top-bar.js';
import css from './join-panel.module.css';
import { MessageLog } from './message-log.js';
import { seenBy } from './seen.js';

const MOST = 2_000;

interface Props {
  readonly stream: string;
  readonly group: string;
}

/** Joins the group as a client with given headers: what it would see, or which rule refuses it. What is typed stays in this page. */
export function JoinPanel({ stream, group }: Props) {
  const [query, setQuery] = useState({ headers: '', search: '', id: '' });
  const [joined, setJoined] = useState<Readonly<Record<string, string>>>();
  const [visit, setVisit] = useState(0);
  const join = (): void => {
    setJoined({ stream, group, ...Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) });
    setVisit(visit + 1);
  };
  useCommands([{ title: 'Join as this client', keys: ['mod+Enter'], run: join }]);
  const set = (name: keyof typeof query) => (value: string): void => setQuery({ ...query, [name]: value });
  return (
    <ScrollPage label="As a client">
      <p className="muted">A client connects to this engine&apos;s streams and joins the group. <code>authenticate</code>, <code>canAccess</code> and <code>onJoin</code> of the application run as for any other.</p>
      <div className={css.form}>
        <Field label="Headers, one a line"><textarea className={controls.input} rows={3} spellCheck={false} placeholder={'Authorization: Bearer …\nCookie: session=…\nOrigin: https://app.example'} value={query.headers} onChange={(event) => set('headers')(event.target.value)} /></Field>
        <div className="stack">
          <Field label="Query of the address"><Input placeholder="ticket=…" value={query.search} onChange={(event) => set('search')(event.target.value)} /></Field>
          <Field label="One item alone"><Input placeholder="id; empty: the whole group" value={query.id} onChange={(event) => set('id')(event.target.value)} /></Field>
        </div>
      </div>
      <div className="row wrap"><ActButton look="primary" onClick={join}>{joined ? 'Join again' : 'Join'} <Kbd>{MOD} ↵</Kbd></ActButton>{joined && <Button onClick={() => setJoined(undefined)}>Leave</Button>}</div>
      {joined && <Guest key={visit} stream={stream} query={joined} />}
    </ScrollPage>
  );
}

function Guest({ stream, query }: { readonly stream: string; readonly query: Readonly<Record<string, string>> }) {
  const [events, setEvents] = useState<readonly JoinEvent[]>([]);
  const [fault, setFault] = useState<string>();
  const dropped = useRef(0);
  useLive('join', query, {
    events: (some) => setEvents((before) => [...before, ...some as readonly JoinEvent[]].slice(-MOST)), ended: (_code, detail) => setFault(detail),
    gap: (count) => void (dropped.current += count), resumed: () => setEvents([]),
  });
  const rule = useApi('GET /streams').data?.items.find(({ name }) => name === stream)?.declaredIn ?? 'its file';
  const { verdict, items, isIn } = seenBy(events, { rule, one: query['id'] ?? '' });
  if (fault !== undefined) return <p role="alert"><Badge tone="bad">refused</Badge> {fault}</p>;
  return (
    <>
      <p role="status" className="row wrap"><Badge tone={verdict.tone}>{isIn ? 'in' : verdict.tone === 'bad' ? 'refused' : 'waits'}</Badge>{verdict.words}</p>
      {isIn && items.size > 0 && <ul className={css.items} aria-label="What it sees" tabIndex={0}>{[...items].map(([id, value]) => <li key={id} className="row"><strong className="mono">{id}</strong><span className="mono muted truncate">{preview(value, 300)}</span></li>)}</ul>}
      {dropped.current > 0 && <Note>{dropped.current} messages came faster than they may be shown</Note>}
      <h3>What was said</h3>
      <MessageLog events={events} />
    </>
  );
}
