import type { AuditEntry } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Badge, Button } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer, Note } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import { useParam } from '../../url/location.js';
import { pathOf } from '../../url/match-path.js';

const LIMIT = 200;
/** Of an id or a hash. */
const DIGITS = 8;
/** No topic tells of it. */
const EVERY_MS = 5_000;

/** Who changed what, the latest first, or from the entry of the address on. */
export function AuditList() {
  const [entry, setEntry] = useParam('entry');
  const isNumber = /^\d{1,14}$/.test(entry);
  const answer = useApi('GET /audit', { limit: LIMIT, ...isNumber && { cursor: String(Number(entry) + 1) } }, { every: () => EVERY_MS });
  return (
    <Answer of={answer} what="the audit">
      {({ items, cursor }) => (
        <>
          {entry !== '' && <Note>{items.some(({ id }) => String(id) === entry) ? 'Later entries are left out.' : `There is no entry “${entry}” among those that are kept.`} <Button look="plain" onClick={() => setEntry(null)}>Show the latest</Button></Note>}
          {items.length === 0 ? entry === '' && <p>Nobody has changed anything yet.</p> : <Entries items={items} current={entry} />}
          {cursor !== undefined && <p className="muted">These are {items.length} entries; there are <Button look="plain" onClick={() => setEntry(String(Number(items.at(-1)?.id) - 1))}>earlier ones</Button>.</p>}
        </>
      )}
    </Answer>
  );
}

function Entries({ items, current }: { readonly items: readonly AuditEntry[]; readonly current: string }) {
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Changes">
      <table className={table.table}>
        <thead><tr><th>When</th><th>Who</th><th>From</th><th>What</th><th>On</th><th>Answer</th><th>Request</th></tr></thead>
        <tbody>{items.map((one) => (
          <tr key={one.id} data-current={String(one.id) === current}>
            <td><Time at={one.time} /></td><td>{one.who} <span className="muted">{one.role}</span></td><td className="mono">{one.remote}</td><td className="mono">{one.method} {one.path}</td><td><Short text={one.selection} what="The ids that were chosen, as SHA-256" /></td>
            <td><Badge tone={one.status < 400 ? 'ok' : 'warn'}>{one.status}</Badge> {one.code} {one.result}</td><td>{one.requestId !== undefined && <Link to={pathOf('go', one.requestId)} title={one.requestId} className="mono">{one.requestId.slice(0, DIGITS)}</Link>}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** The beginning of a hash; all of it is in the title, and is copied. */
function Short({ text, what }: { readonly text: string | undefined; readonly what: string }) {
  return text !== undefined && <span className="row"><span className="mono" title={`${what}: ${text}`}>{text.slice(0, DIGITS)}</span><CopyButton text={text} /></span>;
}
