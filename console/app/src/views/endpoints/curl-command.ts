import type { RunHttp } from '../../api/types.generated.js';
import type { Endpoint } from './endpoint.js';
import { type Draft, draftOf } from './request.js';
import { shellQuoted, shellWords } from './shell-words.js';

/** A request as a command for a shell, which sends exactly that. */
export function curlOf(base: string, { method, path, headers = {}, body }: RunHttp): string {
  const fields = Object.entries(headers);
  const hasType = fields.some(([name]) => name.toLowerCase() === 'content-type');
  const header = (text: string): readonly string[] => ['-H', shellQuoted(text)];
  return [
    'curl', ...method === 'GET' ? [] : ['-X', method], ...GLOB.test(path) ? ['-g'] : [], shellQuoted(base + path),
    ...fields.flatMap(([name, value]) => header(value === '' ? `${name};` : `${name}: ${value}`)),
    // By itself curl says that it is a form.
    ...body === undefined ? [] : [...hasType ? [] : header('Content-Type:'), '--data-raw', shellQuoted(body)],
  ].join(' ');
}

/** What curl takes for several addresses. */
const GLOB = /[[\]{}]/;

/** What a curl command says, as far as it is about this endpoint; undefined when it is no curl command, or none that has ended. */
export function fromCurl(text: string, endpoint: Endpoint): Draft | undefined {
  const words = shellWords(ofPosix(text)) ?? [];
  const [command = '', ...rest] = words[0] === '$' ? words.slice(1) : words;
  if (!/^(?:.*[/\\])?curl(?:\.exe)?$/.test(command)) return undefined;
  const { url, headers, query, body } = requestOfWords(rest);
  const [path = '', asked = ''] = url.replace(/^(?:\w+:\/\/)?[^/?#]*/, '').replace(/#.*$/s, '').split(/\?(.*)/s);
  const all = [asked, ...query].filter((part) => part !== '').join('&');
  return draftOf(endpoint, { kind: 'http', method: endpoint.method, path: all === '' ? path : `${path}?${all}`, headers: Object.fromEntries([...headers.values()].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))), ...body !== undefined && { body } });
}

/** Browsers on Windows copy for its own shell, too. */
function ofPosix(text: string): string {
  if (!/^\s*curl(?:\.exe)?\s+(?:-\S+\s+)*\^"/.test(text)) return text;
  return text.replace(/\^(\r?\n|[^])/g, (_, sign: string) => (sign.endsWith('\n') ? '' : sign));
}

type Field = readonly [name: string, value: string | undefined];

interface Asked {
  url: string;
  /** By lower-case name; without a value it is not sent. */
  readonly headers: Map<string, Field>;
  readonly query: string[];
  body: string | undefined;
}

function requestOfWords(words: readonly string[]): Asked {
  const asked: Asked = { url: '', headers: new Map(), query: [], body: undefined };
  const data: string[] = [];
  const options = optionsOf(words);
  const has = (...names: readonly string[]): boolean => options.some(({ name }) => names.includes(name));
  for (const { name, value } of options) {
    if (name === '' || name === 'url') asked.url ||= value;
    else if (name === 'url-query') asked.query.push(encodedData(value));
    else if (/^(?:d|data(?:-raw|-binary|-ascii)?|json)$/.test(name)) data.push(value);
    else if (name === 'data-urlencode') data.push(encodedData(value));
    else for (const field of fieldsOf(name, value)) asked.headers.set(field[0].toLowerCase(), field);
  }
  const isJson = has('json');
  if (has('G', 'get')) asked.query.push(...data);
  else if (data.length > 0) asked.body = data.join(isJson ? '' : '&');
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  if (asked.body !== undefined) addField(asked, 'Content-Type', type);
  if (isJson) addField(asked, 'Accept', type);
  return asked;
}

function addField({ headers }: Asked, name: string, value: string): void {
  if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), [name, value]);
}

/** What an option puts into the head of the request. */
function fieldsOf(option: string, value: string): readonly Field[] {
  switch (option) {
    case 'H': case 'header': return fieldOf(value);
    // Without `=` it is a file.
    case 'b': case 'cookie': return value.includes('=') ? [['Cookie', value]] : [];
    case 'u': case 'user': return [['Authorization', `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`]];
    case 'oauth2-bearer': return [['Authorization', `Bearer ${value}`]];
    case 'A': case 'user-agent': return [['User-Agent', value]];
    case 'e': case 'referer': return [['Referer', value]];
    default: return [];
  }
}

/** `Name: value`; `Name:` takes away what curl would send by itself, and `Name;` sends it empty. */
function fieldOf(text: string): readonly Field[] {
  const [, name = '', sign, value = ''] = /^([^:;]+)([:;])(.*)$/s.exec(text) ?? [];
  if (sign === undefined || (sign === ';' && value.trim() !== '')) return [];
  return [[name.trim(), sign === ':' && value.trim() === '' ? undefined : value.trim()]];
}

/** `content`, `=content` or `name=content`, of which the content is written for an address. */
function encodedData(text: string): string {
  const at = text.indexOf('=');
  return at < 0 ? encodeURIComponent(text) : `${at === 0 ? '' : `${text.slice(0, at)}=`}${encodeURIComponent(text.slice(at + 1))}`;
}

/** Letters of options that take a value: in the same word, or the next one. */
const WITH_VALUE = new Set('AbcCdDeEFHKmoPQrtTuUwxXyYz');
/** The same of options with a name. */
const NAMED_WITH_VALUE = new RegExp(`^(?:${[
  'abstract-unix-socket', 'alt-svc', 'aws-sigv4', 'ca(?:cert|path)', 'cert(?:-type)?', 'ciphers', 'config', 'connect-(?:timeout|to)', 'continue-at', 'cookie(?:-jar)?', 'create-file-mode', 'crlfile', 'curves',
  'data(?:-raw|-binary|-ascii|-urlencode)?', 'delegation', 'dns-(?:interface|ipv4-addr|ipv6-addr|servers)', 'doh-url', 'dump-header', 'ech', 'egd-file', 'engine', 'etag-(?:compare|save)', 'expect100-timeout',
  'form(?:-string)?', 'ftp-(?:account|alternative-to-user|method|port|ssl-ccc-mode)', 'happy-eyeballs-timeout-ms', 'haproxy-clientip', 'header', 'hostpub(?:md5|sha256)', 'hsts', 'interface', 'ip-tos', 'ipfs-gateway',
  'json', 'keepalive-(?:cnt|time)', 'key(?:-type)?', 'krb', 'libcurl', 'limit-rate', 'local-port', 'login-options', 'mail-(?:auth|from|rcpt)', 'max-(?:filesize|redirs|time)', 'netrc-file', 'noproxy', 'oauth2-bearer',
  'output(?:-dir)?', 'parallel-max', 'pass', 'pinnedpubkey', 'preproxy', 'proto(?:-default|-redir)?', 'proxy(?:1\\.0|-(?!anyauth|basic|ca-native|digest|http2|insecure|negotiate|ntlm|ssl).+)?', 'pubkey', 'quote', 'random-file', 'range', 'rate', 'referer',
  'request(?:-target)?', 'resolve', 'retry(?:-delay|-max-time)?', 'sasl-authzid', 'service-name', 'sigalgs', 'socks(?:4a?|5|5-hostname|5-gssapi-service)', 'speed-(?:limit|time)', 'stderr', 'telnet-option', 'tftp-blksize', 'time-cond',
  'tls-max', 'tls13-ciphers', 'tls(?:authtype|password|user)', 'trace(?:-ascii|-config)?', 'unix-socket', 'upload-(?:file|flags)', 'url(?:-query)?', 'user(?:-agent)?', 'variable', 'vlan-priority', 'write-out',
].join('|')})$`);

/** A word that is no option has the name ''. */
interface Option {
  readonly name: string;
  readonly value: string;
}

function optionsOf(words: readonly string[]): readonly Option[] {
  const found: Option[] = [];
  const other = words.findIndex((word) => word === '--next' || word === '-:');
  const waiting = other < 0 ? [...words] : words.slice(0, other);
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word.startsWith('--')) found.push({ name: word.slice(2), value: NAMED_WITH_VALUE.test(word.slice(2)) ? waiting.shift() ?? '' : '' });
    else if (!word.startsWith('-') || word === '-') found.push({ name: '', value: word });
    else {
      const at = [...word].findIndex((letter, place) => place > 0 && WITH_VALUE.has(letter));
      for (const letter of word.slice(1, at < 0 ? undefined : at)) found.push({ name: letter, value: '' });
      if (at > 0) found.push({ name: word.charAt(at), value: word.slice(at + 1) || (waiting.shift() ?? '') });
    }
  }
  return found;
}
