import type { JoinEvent, JsonValue } from '../../api/types.generated.js';
import { plural } from '../../format/numbers.js';
import type { Tone } from '../../parts/tone.js';

/** What a client has been told, in words, and what it knows by now. */
export interface Seen {
  readonly verdict: { readonly tone: Tone; readonly words: string };
  /** By id, in the order in which they came. */
  readonly items: ReadonlyMap<string, JsonValue>;
  /** It got the beginning: it is in. */
  readonly isIn: boolean;
}

interface Message {
  readonly type?: string;
  readonly id?: string;
  readonly code?: string;
  readonly message?: string;
  readonly event?: { readonly type: string; readonly data?: JsonValue; readonly ids?: readonly string[] };
}

const WAITING: Seen = { verdict: { tone: 'info', words: 'Connecting' }, items: new Map(), isIn: false };

/** Folds what happened to a client. `rule`: the file that declares the stream; `one`: it asked for this item alone. */
export function seenBy(events: readonly JoinEvent[], { rule, one }: { readonly rule: string; readonly one: string }): Seen {
  return events.reduce((seen, event): Seen => after(seen, event, { rule, one }), WAITING);
}

function after(seen: Seen, event: JoinEvent, of: { readonly rule: string; readonly one: string }): Seen {
  switch (event.type) {
    case 'refused': return no(seen, refusalWords(event.status, event.detail));
    case 'connected': return { ...seen, verdict: { tone: 'info', words: 'Connected; its join is not decided yet' } };
    case 'received': return told(seen, event.message as Message, { ...of, count: event.items });
    case 'closed': return seen.isIn || seen.verdict.tone !== 'bad' ? { ...seen, verdict: { tone: 'warn', words: `The engine closed its connection with ${event.code}${event.reason === '' ? '' : ` (${event.reason})`}` } } : seen;
    default: return seen;
  }
}

/** Which rule said no to the connection itself. */
function refusalWords(status: number, detail: string): string {
  if (status === 401) return 'Refused at the door: authenticate of the *.stream-auth file gave nothing for it (401)';
  if (status === 403) return `Refused at the door by the rule for web pages (403): ${detail}`;
  return `Not let in${status === 0 ? '' : ` (${status})`}: ${detail}`;
}

function told(seen: Seen, { type, id = '', code, message, event }: Message, { rule, one, count }: { readonly rule: string; readonly one: string; readonly count: number | undefined }): Seen {
  if (type === 'error') return no(seen, `Its join is refused: ${message ?? ''} (${code ?? ''})`);
  if (event?.type === 'unauthorized') return no(seen, `Its join is refused: canAccess in ${rule} said no, or nothing guards the stream and it is no local one`);
  if (event?.type === 'sync') return begun(one === '' ? itemsOf(event) : event.data === null || event.data === undefined ? new Map() : new Map([[one, event.data]]), count);
  if (event === undefined || event.type === 'event') return seen;
  const items = new Map(seen.items);
  if (event.type === 'delete') items.delete(id);
  else items.set(id, event.data ?? null);
  return { ...seen, items };
}

function itemsOf({ data, ids = [] }: NonNullable<Message['event']>): ReadonlyMap<string, JsonValue> {
  return new Map((data as readonly JsonValue[]).map((value, at) => [ids[at] ?? String(at), value]));
}

function begun(items: ReadonlyMap<string, JsonValue>, count = items.size): Seen {
  return { items, isIn: true, verdict: { tone: 'ok', words: `Let in: it sees ${plural(count, 'item')}, and every change from now on` } };
}

function no(seen: Seen, words: string): Seen {
  return { ...seen, verdict: { tone: 'bad', words } };
}
