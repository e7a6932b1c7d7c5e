import type { HostileCase } from './hostile-cases.js';

/** As large as a body may be by default, less what stands around it. */
const LARGEST = 1_040_000;
const BOUNDARY = 'hostile';

const repeated = (unit: string): string => unit.repeat(LARGEST / unit.length);

/** As many different parts as fit. */
function various(make: (index: number) => string): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < LARGEST - 100; index++) length += parts[parts.push(make(index)) - 1]!.length;
  return parts.join('');
}

const part = (name: string, content: string, more = ''): string => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const form = (...parts: readonly string[]): string => `${parts.join('')}--${BOUNDARY}--\r\n`;
const FILE = '; filename="a.bin"';

const URLENCODED = [
  repeated('+'), repeated('a+'), repeated('%41'), repeated('%'), repeated('%C3%A9+'), repeated('a&'), repeated('&'), repeated('__proto__=1&'), `a=${repeated('"')}`, `a=${repeated('\u0001')}`,
  various((index) => `${index.toString(36)}&`), Array.from({ length: 1_000 }, (_, index) => `f${index}=${'+'.repeat(1_000)}&`).join(''), Array.from({ length: 1_000 }, () => `f=${'%22'.repeat(330)}&`).join(''),
];

const MULTIPART = [
  form(part('a', repeated('a'))), form(part('a', repeated('"'))), form(part('a', repeated('a'), FILE)), form(part('a', repeated('\r\n--'))), form(part('a', repeated('\r\n--'), FILE)), form(part('a', repeated('\r'), FILE)),
  form(part('a', repeated(`\r\n--${BOUNDARY.slice(0, -1)}`), FILE)), form(part('a', repeated('é'.repeat(10)).slice(0, LARGEST / 2))), form(...Array.from({ length: 999 }, (_, index) => part(`f${index}`, 'x'.repeat(900)))),
  form(...Array.from({ length: 100 }, (_, index) => part(`f${index}`, 'x'.repeat(10_000), FILE))), form(various((index) => part(`f${index}`, ''))), `--${BOUNDARY}\r\n${repeated('a: b\r\n')}\r\n\r\n--${BOUNDARY}--`,
  form(part(repeated('\\"'), '')), form(part('a', '', `; ${repeated('a=b;')}`)), repeated('x'), part('a', repeated('x'), FILE),
];

const TEXTS = [repeated('a'), repeated('"'), repeated('\u0001'), repeated('é').slice(0, LARGEST / 2), repeated('a!')];

const FIELDS = '{"type":"object","additionalProperties":{"anyOf":[{"type":"string","maxLength":10},{"type":"array","items":{"type":"string","maxLength":10}}]}}';
const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Bodies of requests that are no JSON, and those that come compressed: a megabyte of nearly nothing, and ten that are too large. */
export const OTHER_BODIES: readonly HostileCase[] = [
  { name: 'body urlencoded', schema: FIELDS, type: 'application/x-www-form-urlencoded', bodies: URLENCODED },
  { name: 'body multipart', schema: FIELDS, type: MULTIPART_TYPE, bodies: MULTIPART },
  { name: 'body text', schema: '{"type":"string","pattern":"^(a+)+$"}', type: 'text/plain', bodies: TEXTS },
  { name: 'body gzip urlencoded', schema: FIELDS, type: 'application/x-www-form-urlencoded', gzip: true, bodies: URLENCODED },
  { name: 'body gzip multipart', schema: FIELDS, type: MULTIPART_TYPE, gzip: true, bodies: MULTIPART },
  { name: 'body gzip json', schema: '{"type":"array","items":{"type":"object"}}', type: 'application/json', gzip: true, bodies: [`[${'{},'.repeat(300_000)}{}]`, '['.repeat(LARGEST), '[]'.padEnd(10 * LARGEST)] },
];
