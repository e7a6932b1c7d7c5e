import { type InvokeRequest, invalidArgument, isSecretField } from '@treadle/api';
import { type JsonString, stringsOf } from './json-strings.js';

/** An input as it came, digit for digit: JSON text; of a request what is beside its body, and the body as JSON text. */
export type InputParts = { readonly text: string } | { readonly head: Readonly<Record<string, unknown>>; readonly body: string | undefined };

/** Where a request carries what nobody is to read. Bodies and messages are shown as they are, as dead letters are. */
const PLACES = ['headers', 'headersAll', 'query'] as const;

/** How each stand-in begins. */
const STAND_IN = '[secret ';

interface Secret {
  /** e.g. `[secret headers.cookie]` */
  readonly standIn: string;
  readonly place: (typeof PLACES)[number];
  readonly name: string;
  readonly value: unknown;
}

export function partsOf(request: InvokeRequest): InputParts {
  const { trigger, inputText, bodyText } = request;
  if (trigger.type !== 'http') return { text: inputText ?? JSON.stringify(request.input) ?? 'null' };
  const { body, ...head } = request.input as Readonly<Record<string, unknown>>;
  if (inputText !== undefined && secretsOf(head).length === 0) return { text: inputText };
  return { head, body: bodyText === undefined ? JSON.stringify(body) : `{"kind":"json","value":${bodyText}}` };
}

/** The input as JSON. */
export function textOf(parts: InputParts): string {
  return 'text' in parts ? parts.text : composed(parts.head, parts.body);
}

/** The input as JSON that may be shown: a stand-in is in the place of each secret. */
export function shownText(parts: InputParts): string {
  if ('text' in parts) return parts.text;
  const shown: Record<string, unknown> = { ...parts.head };
  for (const { place, name, standIn } of secretsOf(parts.head)) shown[place] = { ...shown[place] as object, [name]: standIn };
  return composed(shown, parts.body);
}

/** An edited text with the secrets that its stand-ins mean. @throws {AdminError} 400 when one is elsewhere: there it would be told to who may not know it; or when it is no JSON */
export function meantText(edited: string, parts: InputParts): string {
  const input = parsed(edited);
  if ('text' in parts) return edited;
  const strings = [...stringsOf(edited)].filter(({ value }) => value.includes(STAND_IN));
  const meant = secretsOf(parts.head).flatMap((secret) => {
    const found = placeOf(secret, strings, input);
    return found ? [{ ...found, text: JSON.stringify(secret.value) }] : [];
  }).sort((a, b) => a.from - b.from);
  const kept = meant.map(({ from, text }, at) => edited.slice(meant[at - 1]?.to ?? 0, from) + text);
  return kept.join('') + edited.slice(meant.at(-1)?.to ?? 0);
}

/** Where the stand-in of a secret is; undefined: nowhere. Of members with one name the last one counts, and the others are shown as they are. */
function placeOf({ place, name, standIn }: Secret, strings: readonly JsonString[], input: Readonly<Record<string, unknown>>): JsonString | undefined {
  const [found, ...more] = strings.filter(({ value }) => value.includes(standIn));
  if (!found) return undefined;
  const given = (input[place] as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const isInPlace = found.value === standIn && found.path?.[0] === place && found.path[1] === name && given === standIn;
  if (isInPlace && more.length === 0) return found;
  throw invalidArgument(`${standIn} means a secret of the recorded request: leave it where it was, or write another value there`);
}

function secretsOf(head: Readonly<Record<string, unknown>>): readonly Secret[] {
  return PLACES.flatMap((place) => Object.entries((head[place] ?? {}) as object).filter(([name, value]) => isSecretField(name, value))
    .map(([name, value]): Secret => ({ place, name, value, standIn: `${STAND_IN}${place}.${name}]` })));
}

function composed(head: Readonly<Record<string, unknown>>, body: string | undefined): string {
  const text = JSON.stringify(head);
  return body === undefined ? text : `${text.slice(0, -1)},"body":${body}}`;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value as Readonly<Record<string, unknown>> : {};
  } catch (error) {
    throw invalidArgument(`"input" is not JSON: ${(error as Error).message}`);
  }
}
