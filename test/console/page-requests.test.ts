import { expect } from 'chai';
import fc from 'fast-check';
import { curlOf, fromCurl } from '../../console/app/src/views/endpoints/curl-command.js';
import type { Endpoint } from '../../console/app/src/views/endpoints/endpoint.js';
import { checkReply, type ReplyCheck } from '../../console/app/src/views/endpoints/reply-check.js';
import { requestOf } from '../../console/app/src/views/endpoints/request.js';
import { runPath } from '../../console/app/src/views/flows/run-path.js';
import { firstMessage, messageFault, messageOf } from '../../console/app/src/views/queues/message-draft.js';
import { shellWords } from '../../console/app/src/views/endpoints/shell-words.js';
import type { HttpOutcome, RunQueue, RunRecord } from '../../console/src/contract/index.js';

const ENDPOINT: Endpoint = { step: 'UpdateTicket', trigger: 0, method: 'PUT', path: '/tickets/:id', description: '', file: 'a.ts', line: 1, flow: 'f', body: { type: 'object' }, query: undefined, responses: {} };
const BASE = 'http://127.0.0.1:3111';
const read = (command: string): unknown => {
  const draft = fromCurl(command, ENDPOINT);
  return draft && [draft.params['id'], draft.query, draft.headers, draft.body];
};
const JSON_TYPE = 'content-type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';

describe('words of a command', () => {
  it('are what a shell makes of them', () => {
    for (const [text, ...words] of [
      ['a  b\tc', 'a', 'b', 'c'], ["a 'b c'd\"e f\"", 'a', 'b cde f'], ["'it'\\''s' ''", "it's", ''], ['a \\\n  b\\\nc', 'a', 'bc'], ['a \\\r\n  b', 'a', 'b'], ['\n a\nb', 'a'], ['"a\\"b\\\\c\\d\\$e$f\\\ng"', 'a"b\\c\\d$e$fg'],
      ["$'a\\'b\\n\\t\\u00e9\\xc3\\xa9\\303\\251\\\\\\q\\ud83d\\ude00\\U1F600'", "a'b\n\tééé\\\\q😀😀"], ['$"a" $b a$', 'a', '$b', 'a$'], ['a # b', 'a'], ['a#b', 'a#b'], ['a | b', 'a'], ['a;b', 'a'], ["a\\ b\\'", "a b'"],
    ] as const) expect(shellWords(text), text).to.deep.equal(words);
    for (const text of ["a 'b", 'a "b', "a $'b\\'", 'a \\']) expect(shellWords(text), text).to.equal(undefined);
  });

  it('come back whatever they are, in any quotes', () => {
    const quoted = fc.tuple(fc.string({ unit: fc.constantFrom(...'ab \'"\\$`\n#&|;?*{}é^!') }), fc.nat(2)).map(([word, how]) => [word, [
      `'${word.replaceAll("'", "'\\''")}'`, `"${word.replace(/["\\$`]/g, '\\$&')}"`, `$'${word.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`,
    ][how] ?? ''] as const);
    fc.assert(fc.property(fc.array(quoted), fc.constantFrom(' ', ' \\\n  ', '\t'), (words, between) => {
      expect(shellWords(words.map(([, text]) => text).join(between))).to.deep.equal(words.map(([word]) => word));
    }));
  });
});

describe('a curl command that is pasted', () => {
  it('gives path, query, headers and body, as browsers and people write it', () => {
    expect(read(`curl -X PUT '${BASE}/tickets/t-1?dry=yes' -H '${JSON_TYPE}' -d '{"a":1}'`)).to.deep.equal(['t-1', 'dry=yes', JSON_TYPE, '{"a":1}']);
    const chrome = `curl '${BASE}/tickets/t-1?dry=yes' \\\n  -X 'PUT' \\\n  -H '${JSON_TYPE}' \\\n  -b 'session=abc; a=b' \\\n  --data-raw $'{"a":"it\\'s \\u0021"}' \\\n  --compressed`;
    expect(read(chrome)).to.deep.equal(['t-1', 'dry=yes', `${JSON_TYPE}\nCookie: session=abc; a=b`, '{"a":"it\'s !"}']);
    expect(read(chrome.replaceAll('\n', '\r\n'))).to.deep.equal(read(chrome));
    expect(read(`curl --location --request PUT "${BASE}/tickets/t-1" \\\n--header 'X-A: b:c' \\\n--data '{\n  "a": 1\n}'`)).to.deep.equal(['t-1', '', `X-A: b:c\n${FORM_TYPE}`, '{\n  "a": 1\n}']);
    expect(read(`curl ^"${BASE}/tickets/t-1?a=b^&c=d^" ^\r\n  -X ^"PUT^" ^\r\n  -H ^"${JSON_TYPE}^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1^}^"`)).to.deep.equal(['t-1', 'a=b&c=d', JSON_TYPE, '{"a":1}']);
    expect(read('$ curl -sSXPUT localhost:3111/tickets/t-1 | jq .')).to.deep.equal(['t-1', '', '', '']);
  });

  it('means what curl means by its options', () => {
    expect(read(`curl -X PUT ${BASE}/tickets/t-1 --json '{"a":1}'`)).to.deep.equal(['t-1', '', 'Content-Type: application/json\nAccept: application/json', '{"a":1}']);
    expect(read(`curl -XPUT ${BASE}/tickets/t-1 -u mé:pw -d'a=1' --data b=2 --data-urlencode 'c=x y&z'`)).to.deep.equal(['t-1', '', `Authorization: Basic bcOpOnB3\n${FORM_TYPE}`, 'a=1&b=2&c=x%20y%26z']);
    expect(read(`curl -G ${BASE}/tickets/t-1?a=1 -d b=2 --url-query c=3`)).to.deep.equal(['t-1', 'a=1&c=3&b=2', '', '']);
    expect(read(`curl -o /dev/null -m 5 --max-time 5 --retry 3 -w '%{http_code}' -A me -e http://b --url ${BASE}/tickets/t-1#x -k`)).to.deep.equal(['t-1', '', 'User-Agent: me\nReferer: http://b', '']);
    expect(read(`curl ${BASE}/tickets/t-1 -H 'X-Empty;' -H 'Content-Type:' -H 'X: 1' -H 'x: 2' -d a --next ${BASE}/other -d b`)).to.deep.equal(['t-1', '', 'X-Empty: \nx: 2', 'a']);
    expect(read(`curl ${BASE}/tickets/%zz%20?q=a?b`)).to.deep.equal(['%zz%20', 'q=a?b', '', '']);
  });

  it('fills nothing while it is no command, or an open one', () => {
    for (const text of ['', 'wget x', `curl '${BASE}/tickets/t`, 'curly x']) expect(read(text), text).to.equal(undefined);
  });

  it('says what was copied, whatever it is', () => {
    const token = fc.stringMatching(/^[a-z]{1,8}$/);
    const draft = fc.record({
      params: fc.record({ id: fc.string({ minLength: 1 }) }), query: fc.stringMatching(/^[a-z=&[\]{}'%]{0,12}$/),
      headers: fc.uniqueArray(fc.tuple(token, fc.stringMatching(/^(?:[!-~](?:[ -~]*[!-~])?)?$/)), { selector: ([name]) => name }).map((all) => all.map(([name, value]) => `${name}: ${value}`).join('\n')), body: fc.string(),
    });
    fc.assert(fc.property(draft, (one) => {
      const request = requestOf(ENDPOINT, one);
      const again = fromCurl(curlOf(BASE, request), ENDPOINT);
      expect(again && requestOf(ENDPOINT, again)).to.deep.equal(request);
    }));
  });
});

describe('an answer is held to the schema of its status', () => {
  const responses = { 200: { type: 'object', properties: { id: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } }, required: ['id'] }, 202: { type: 'string' }, 204: {}, 400: { type: 'object', required: ['reason'] }, 500: { type: 'string', pattern: '(?P<a>x)' } };
  const check = (status: number, body: string, more: Partial<HttpOutcome> = {}): ReplyCheck | undefined => checkReply({ method: 'GET', responses }, {
    kind: 'http', status, headers: [['Content-Type', 'application/json; charset=utf-8']], body, base64: false, bytes: body.length, truncated: false, firstByteMs: 1, ...more,
  });

  it('and says in what places it breaks it', () => {
    expect(check(200, '{"id":"a","lines":[1]}')).to.deep.equal({ is: 'fits' });
    const broken = check(200, '{"lines":[1,"2"]}');
    expect(broken?.is === 'breaks' && broken.issues).to.deep.equal(['body: Instance does not have required property "id".', 'lines.1: Instance type "string" is invalid. Expected "integer".']);
    expect(check(200, '')).to.deep.equal({ is: 'breaks', issues: ['body: there is none'] });
    expect(check(200, '{')).to.deep.equal({ is: 'breaks', issues: ['body: it is no JSON'] });
    expect(check(202, 'done', { headers: [['content-type', 'text/plain']] })).to.deep.equal({ is: 'fits' });
    expect(check(418, '{}')).to.deep.equal({ is: 'undeclared' });
    expect(checkReply({ method: 'GET', responses: {} }, { kind: 'http', status: 200, headers: [], body: '', base64: false, bytes: 0, truncated: false, firstByteMs: 1 })).to.equal(undefined);
  });

  it('but for what the engine does not hold to it either, and what cannot be judged', () => {
    for (const bare of [check(204, ''), check(400, '')]) expect(bare).to.deep.equal({ is: 'fits' });
    expect(check(400, '{"error":"Validation failed","code":"validation_failed","traceId":"a"}')?.is).to.equal('unchecked');
    expect(check(400, '{"error":"no"}')?.is).to.equal('breaks');
    expect(check(200, '{"id":', { truncated: true })?.is).to.equal('unchecked');
    expect(check(200, 'aGVsbG8=', { base64: true })?.is).to.equal('unchecked');
    // A pattern of Python.
    expect(check(500, '"x"')?.is).to.equal('unchecked');
  });
});

describe('a message that is enqueued by hand', () => {
  const schema = { type: 'object', properties: { id: { type: 'string' }, cents: { type: 'integer', minimum: 1 } }, required: ['id', 'cents'] };
  const record = (request: RunQueue, more: Partial<RunRecord> = {}): RunRecord => ({ id: 'r', at: '2026-01-01T00:00:00.000Z', who: 'a', request, durationMs: 1, outcome: { kind: 'queue', messageId: 'm' }, ...more });

  it('begins with the last one, else with a sample of its schema', () => {
    expect(firstMessage(schema, undefined)).to.deep.equal({ payload: '{\n  "id": "example",\n  "cents": 1\n}', delay: '', group: '', dedupeKey: '', headers: '' });
    const sent: RunQueue = { kind: 'queue', topic: 'paid', data: { id: 'a' }, headers: { a: 'b: c' }, delayMs: 1500, messageGroupId: 'g', dedupeKey: 'once' };
    const again = firstMessage(schema, record(sent));
    // By its key of deduplication it would be taken for the former one.
    const { dedupeKey: _, ...rest } = sent;
    expect(messageOf('paid', again)).to.deep.equal(rest);
    expect(firstMessage(schema, record(sent, { withheld: true })).payload).to.contain('"example"');
    expect(messageOf('paid', firstMessage(undefined, undefined))).to.deep.equal({ kind: 'queue', topic: 'paid', data: {} });
  });

  it('says what keeps it from being enqueued', () => {
    const draft = firstMessage(schema, undefined);
    for (const delay of ['', '0', '0.5', '90']) expect(messageFault({ ...draft, delay }), delay).to.equal(undefined);
    for (const delay of ['-1', 'soon', 'Infinity']) expect(messageFault({ ...draft, delay }), delay).to.be.a('string');
    expect(messageFault({ ...draft, payload: '{' })).to.be.a('string');
  });

  it('is what a Step is run by that has no endpoint', () => {
    const [http, queue, cron, state] = [{ type: 'http', label: 'GET /a' }, { type: 'queue', label: 'a/b' }, { type: 'cron', label: '* * * * *' }, { type: 'state', label: 'g' }];
    const of = (...triggers: readonly { readonly type: string; readonly label: string }[]): string | undefined => runPath({ step: 'S', triggers });
    expect([of(state, http), of(queue, http), of(cron), of(state), of()]).to.deep.equal(['/endpoints/S/1', '/queues/a%2Fb?tab=publish', '/cron/S', undefined, undefined]);
  });
});
