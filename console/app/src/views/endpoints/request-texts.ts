import type { RunHttp } from '../../api/types.generated.js';
import { shellQuoted } from './shell-words.js';

/** The same request as a program would send it, by the name of the program. */
export const REQUEST_TEXTS: readonly (readonly [name: string, text: (base: string, request: RunHttp) => string])[] = [['fetch', fetchOf], ['HTTPie', httpieOf], ['Python', pythonOf]];

/** For JavaScript: a browser, or Node.js. */
export function fetchOf(base: string, { method, path, headers = {}, body }: RunHttp): string {
  const given = [...method === 'GET' ? [] : [`method: ${JSON.stringify(method)}`], ...Object.keys(headers).length > 0 ? [`headers: ${JSON.stringify(headers)}`] : [], ...body === undefined ? [] : [`body: ${JSON.stringify(body)}`]];
  return `await fetch(${JSON.stringify(base + path)}${given.length === 0 ? '' : `, {\n  ${given.join(',\n  ')},\n}`});`;
}

/** A header that is empty is written with `;`: with `:` it would be taken away. */
export function httpieOf(base: string, { method, path, headers = {}, body }: RunHttp): string {
  const named = Object.entries(headers).map(([name, value]) => shellQuoted(value === '' ? `${name};` : `${name}:${value}`));
  return ['http', ...body === undefined ? [] : ['--raw', shellQuoted(body)], method, shellQuoted(base + path), ...named].join(' ');
}

/** With the standard library alone. A text of JSON is one of Python, too. */
export function pythonOf(base: string, { method, path, headers = {}, body }: RunHttp): string {
  const given = [JSON.stringify(base + path), `method=${JSON.stringify(method)}`, ...Object.keys(headers).length > 0 ? [`headers={${Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')}}`] : [], ...body === undefined ? [] : [`data=${JSON.stringify(body)}.encode()`]];
  return `from urllib.request import Request, urlopen\n\nrequest = Request(\n    ${given.join(',\n    ')},\n)\nwith urlopen(request) as response:\n    print(response.status, response.read().decode())`;
}
