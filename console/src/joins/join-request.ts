import { invalidArgument } from '@treadle/api';
import { isHeaders } from '../server/header-fields.js';

/** What somebody wants to see a client be told. */
export interface JoinRequest {
  readonly stream: string;
  readonly group: string;
  /** One item alone. */
  readonly id?: string;
  /** Of the address that the client connects to, without `?`. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
}

const KNOWN = new Set(['stream', 'group', 'id', 'search', 'headers']);

/** The query of the topic `join`. @throws {AdminError} 400 that names what is wrong */
export function joinRequest(query: Readonly<Record<string, string>>): JoinRequest {
  const unknown = Object.keys(query).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw invalidArgument(`"${unknown.slice(0, 100)}" is no argument of "join"; it takes ${[...KNOWN].join(', ')}`);
  const { stream = '', group = '', id = '', search = '', headers = '' } = query;
  if (stream === '' || group === '') throw invalidArgument('"stream" and "group" must say what is joined');
  if (!/^[!-~]*$/.test(search)) throw invalidArgument('"search" must be percent-encoded, such as ticket=a%20b');
  return { stream, group, search: search.replace(/^\?/, ''), headers: headersOf(headers), ...id !== '' && { id } };
}

/** One header a line, as HTTP writes them. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const headers = Object.fromEntries(lines.map((line) => {
    const at = line.indexOf(':');
    if (at < 1) throw invalidArgument('"headers" must have one header a line, such as Cookie: id=1');
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  }));
  if (!isHeaders(headers)) throw invalidArgument('"headers" has a name or a value that cannot be sent');
  return headers;
}
