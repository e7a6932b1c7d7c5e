import { expect } from 'chai';
import { AdminCommands } from '../admin/admin-commands.fixture.js';
import { expectGolden } from '../cli.fixture.js';
import { canOpen } from '../terminal/open-browser.js';

const SUBSCRIPTION = { application: 'shop', paused: false, fifo: false, waiting: 0, delayed: 0, retrying: 0, active: 0, dead: 0 };
const OVERVIEW = {
  items: [
    { ...SUBSCRIPTION, step: 'Notify', topic: 'orders.placed', waiting: 12, delayed: 1, retrying: 2, active: 3, dead: 4, oldestAgeMs: 65_000 },
    { ...SUBSCRIPTION, step: 'Notify', topic: 'orders.paid', paused: true, fifo: true },
    { ...SUBSCRIPTION, step: 'Audit', topic: '' },
  ],
  gone: [{ step: 'OldName', topic: 'orders.placed', dead: 7 }],
  unrouted: [{ topic: 'orders.lost', count: 1, oldestAgeMs: 3_600_000 }],
};
const LETTER = {
  id: '17', step: 'Notify', topic: 'orders.placed', reason: 'max_attempts', deadAt: '2026-03-01T10:20:30.123Z', messageId: 'm-1', data: { to: null },
  headers: { source: 'web' }, groupId: 'c-7', traceId: 'f'.repeat(32), enqueuedAt: '2026-03-01T10:00:00.000Z', attempts: 10, deaths: 1,
  errors: [
    { at: '2026-03-01T10:10:00.000Z', attempt: 9, code: 'worker_lost', message: 'the worker is gone' },
    { at: '2026-03-01T10:20:30.000Z', attempt: 10, code: 'unhandled_exception', name: 'TypeError', message: 'Cannot read properties\nof null', stack: 'TypeError: Cannot read properties\n    at steps/notify.step.ts:7:3\n' },
  ],
};

describe('commands about a running engine', function () {
  this.timeout(120_000);
  const commands = AdminCommands.use();
  const { run, printed, answers } = commands;
  beforeEach(() => answers('GET /queues', OVERVIEW));

  it('show what they need to be let in', async () => {
    await run('queue', 'list');
    expect(commands.admin.last?.headers).to.include({ authorization: 'Bearer secret' });
    answers('POST /queues/pause', { step: 'Notify', topics: ['orders.placed'], paused: true });
    await run('queue', 'pause', 'Notify');
    expect(commands.admin.last?.headers).to.include({ authorization: 'Bearer secret', 'x-console': '1', 'content-type': 'application/json' });
  });

  describe('treadle queue', () => {
    it('list shows subscriptions and what waits for nobody', async () => {
      expectGolden('queue-list.txt', await printed('queue', 'list'));
      expect(JSON.parse(await printed('queue', 'list', '--json'))).to.deep.equal(OVERVIEW);
    });

    it('list says so when there is nothing', async () => {
      answers('GET /queues', { items: [], gone: [], unrouted: [] });
      expect(await printed('queue', 'list')).to.equal('No Step is subscribed to anything.\n');
    });

    it('peek shows the head of a subscription', async () => {
      const message = { messageId: 'm-1', deliveryId: 1, topic: 'orders.placed', data: { id: 7 }, attempts: 0, enqueuedAt: '2026-03-01T10:00:00.000Z', active: true };
      answers('GET /queues/messages', { items: [message, { ...message, messageId: 'm-2', data: 'x'.repeat(100), groupId: 'g', attempts: 2, active: false, dueAt: '2026-03-01T10:05:00.000Z' }] });
      expectGolden('queue-peek.txt', await printed('queue', 'peek', 'Notify', '--topic', 'orders.placed', '--limit', '5'));
      expect(commands.admin.last?.path).to.equal('/api/v1/queues/messages?step=Notify&topic=orders.placed&limit=5');
      answers('GET /queues/messages', { items: [] });
      expect(await printed('queue', 'peek', 'Audit')).to.equal('Nothing waits for Audit in (changes).\n');
    });

    it('publish sends one message with all that may belong to it', async () => {
      answers('POST /queues/messages', { messageIds: ['m-9'] });
      expect(await printed('queue', 'publish', '--header', 'source=cli', 'orders.placed', '{"id":7}', '--dedupe-key', 'd', '--group', 'g', '--header', 'a=b=c', '--delay-ms', '5'))
        .to.equal('enqueued m-9\n');
      expect(commands.admin.last?.body).to.deep.equal({
        topic: 'orders.placed', data: { id: 7 }, delayMs: 5, dedupeKey: 'd', messageGroupId: 'g', headers: { source: 'cli', a: 'b=c' },
      });
    });

    it('publish says when nobody consumes the topic, and what becomes of the message', async () => {
      answers('POST /queues/messages', { messageIds: ['m-9'], unrouted: ['orders.lost'] });
      expect(await printed('queue', 'publish', 'orders.lost', '{}'))
        .to.equal('enqueued m-9\nnobody consumes orders.lost: the message is kept for 7 days, for the first Step that does\n');
    });

    it('publish refuses an option that is no number, as any other wrong use', async () => {
      const { code, stderr } = await run('queue', 'publish', 'orders.placed', '{}', '--delay-ms', 'soon');
      expect(stderr).to.contain('error  USAGE  option "--delay-ms" needs a whole number, got "soon"');
      expect(code).to.equal(64);
    });

    it('pause and resume a Step, or one of its subscriptions', async () => {
      answers('POST /queues/pause', { step: 'Notify', topics: ['orders.placed', ''], paused: true });
      expect(await printed('queue', 'pause', 'Notify')).to.equal('Notify is paused: orders.placed, (changes)\n');
      expect(commands.admin.last?.body).to.deep.equal({ step: 'Notify' });
      answers('POST /queues/resume', { step: 'Notify', topics: ['orders.paid'], paused: false });
      expect(await printed('queue', 'resume', 'Notify', '--topic', 'orders.paid')).to.equal('Notify is running: orders.paid\n');
      expect(commands.admin.last?.body).to.deep.equal({ step: 'Notify', topic: 'orders.paid' });
    });

    it('purge removes what waits in the one subscription that is meant', async () => {
      answers('POST /queues/purge', { purged: 3 });
      expect(await printed('queue', 'purge', 'Notify', '--topic', 'orders.paid')).to.equal('removed 3 messages of Notify in orders.paid\n');
      expect(commands.admin.last?.body).to.deep.equal({ step: 'Notify', topic: 'orders.paid' });
      await printed('queue', 'purge', 'Audit');
      expect(commands.admin.last?.body).to.deep.equal({ step: 'Audit', topic: '' });
    });

    it('purge without a Step removes what waits in a topic that nobody consumes', async () => {
      answers('POST /queues/purge', { purged: 1 });
      expect(await printed('queue', 'purge', '--topic', 'orders.lost')).to.equal('removed 1 message without a subscriber in topic orders.lost\n');
      expect(commands.admin.last?.body).to.deep.equal({ topic: 'orders.lost' });
      const { code, stderr } = await run('queue', 'purge');
      expect({ code, stderr }).to.deep.equal({
        code: 64, stderr: 'error  USAGE  say what to remove\n    hint: name a Step, or --topic alone for what waits in a topic that nobody consumes\n',
      });
    });

    it('dlq lists, shows one, and discards', async () => {
      answers('GET /queues/dead-letters', { items: [LETTER], cursor: 'next' });
      expectGolden('queue-dlq.txt', await printed('queue', 'dlq', 'Notify', '--reason', 'max_attempts'));
      expect(commands.admin.last?.path).to.equal('/api/v1/queues/dead-letters?step=Notify&reason=max_attempts&limit=50');
      answers('GET /queues/dead-letters/17', LETTER);
      expectGolden('queue-dlq-one.txt', await printed('queue', 'dlq', '--id', '17'));
      answers('POST /queues/dead-letters/discard', { discarded: 1 });
      expect(await printed('queue', 'dlq', '--id', '17', '--discard')).to.equal('discarded 1 dead letter\n');
      expect(commands.admin.last?.body).to.deep.equal({ ids: ['17'] });
      await printed('queue', 'dlq', '--all', '--discard');
      expect(commands.admin.last?.body).to.deep.equal({ all: true });
    });

    it('dlq names a Step that the engine does not have, and the one that was probably meant', async () => {
      answers('GET /queues/dead-letters', { items: [] });
      answers('GET /steps', { items: [{ config: { name: 'Notify' } }, { config: { name: 'stream' }, role: 'stream' }] });
      expect(await run('queue', 'dlq', 'Notifi')).to.deep.equal({ code: 1, stdout: '', stderr: 'error  NOT_FOUND  the engine has no Step "Notifi"\n    hint: did you mean "Notify"?\n' });
      expect(await run('queue', 'dlq', 'Other')).to.include({ code: 1, stderr: 'error  NOT_FOUND  the engine has no Step "Other"\n    hint: "treadle steps" lists the Steps\n' });
      expect(await printed('queue', 'dlq', 'Notify')).to.equal('No dead letters.\n');
    });

    it('redrive takes one, a selection or all, edited and to another Step', async () => {
      answers('POST /queues/dead-letters/redrive', { redriven: 2 });
      expect(await printed('queue', 'redrive', 'Notify', '--topic', 'orders.placed')).to.equal('redriven: 2 messages\n');
      expect(commands.admin.last?.body).to.deep.equal({ step: 'Notify', topic: 'orders.placed' });
      await printed('queue', 'redrive', '--id', '17', '--data', '{"to":"x"}');
      expect(commands.admin.last?.body).to.deep.equal({ ids: ['17'], data: { to: 'x' } });
      await printed('queue', 'redrive', 'Old', '--reason', 'subscription_retired', '--to-step', 'New');
      expect(commands.admin.last?.body).to.deep.equal({ step: 'Old', reason: 'subscription_retired', toStep: 'New' });
      await printed('queue', 'redrive', '--all');
      expect(commands.admin.last?.body).to.deep.equal({ all: true });
    });

    it('redrive and dlq --discard say which letters are not there', async () => {
      answers('POST /queues/dead-letters/redrive', { redriven: 0 });
      answers('GET /steps', { items: [{ config: { name: 'Notify' } }] });
      expect(await run('queue', 'redrive', 'Notifi')).to.deep.equal({ code: 1, stdout: '', stderr: 'error  NOT_FOUND  the engine has no Step "Notifi"\n    hint: did you mean "Notify"?\n' });
      expect((await run('queue', 'redrive', 'Gone')).stderr).to.match(/hint: "treadle queue dlq" lists the dead letters; .* need --to-step\n$/);
      expect(await printed('queue', 'redrive', 'Notify')).to.match(/^redriven: 0 messages\n"treadle queue dlq" lists the dead letters; .* need --to-step\n$/);
      answers('POST /queues/dead-letters/redrive', { redriven: 1, notFound: ['998', '999'] });
      expect(await printed('queue', 'redrive', '--id', '1', '--id', '998', '--id', '999')).to.equal('redriven: 1 message\nnot found: 998, 999\n');
      answers('POST /queues/dead-letters/discard', { discarded: 1, notFound: ['999'] });
      expect(await printed('queue', 'dlq', '--discard', '--id', '1', '--id', '999')).to.equal('discarded 1 dead letter\nnot found: 999\n');
      const unknown = { status: 404, detail: 'there is no dead letter "999"', code: 'not_found' };
      answers('POST /queues/dead-letters/redrive', unknown, 404);
      answers('POST /queues/dead-letters/discard', unknown, 404);
      for (const args of [['redrive', '--id', '999'], ['dlq', '--discard', '--id', '999']]) {
        expect(await run('queue', ...args)).to.include({ code: 1, stdout: '', stderr: 'error  NOT_FOUND  there is no dead letter "999"\n' });
      }
    });

    const refused: readonly (readonly [string, readonly string[], string])[] = [
      ['a header without a value', ['publish', 'orders.placed', '1', '--header', 'x'], '--header must be <name>=<value>, got "x"'],
      ['a redrive of nothing in particular', ['redrive'], 'no dead letters are chosen\n    hint: name a Step, --id, --topic or --reason, or write --all'],
      ['a discard of nothing in particular', ['dlq', '--discard'], 'no dead letters are chosen\n    hint: name a Step, --id, --topic or --reason, or write --all'],
      ['all letters of one Step', ['redrive', 'Notify', '--all'], '--all is about all Steps, not "Notify" alone'],
      ['edited data for several', ['redrive', '--id', '1', '--id', '2', '--data', '1'], '--data is for exactly one --id'],
      ['a Step with several subscriptions', ['purge', 'Notify'], 'Step "Notify" has several subscriptions: orders.placed, orders.paid\n    hint: name one with --topic'],
    ];
    it('says which subscription is not there, exit code 1', async () => {
      for (const [args, says] of [
        [['peek', 'Nobody'], 'Step "Nobody" has no subscription\n    hint: "treadle queue list" shows them'],
        [['purge', 'Notify', '--topic', 'x'], 'Step "Notify" is not subscribed to x\n    hint: it has orders.placed, orders.paid'],
      ] as const) expect(await run('queue', ...args)).to.deep.equal({ code: 1, stdout: '', stderr: `error  NOT_FOUND  ${says}\n` });
    });

    it('refuses data that is no JSON, exit code 64', async () => {
      const published = await run('queue', 'publish', 'orders.placed', 'hello');
      expect(published).to.include({ code: 64, stdout: '' });
      expect(published.stderr).to.match(/^error {2}USAGE {2}the data is not JSON: .*\n {4}hint: texts stand in quotes: '"hello"'\n$/);
      const edited = await run('queue', 'redrive', '--id', '1', '--data', '{');
      expect(edited).to.include({ code: 64, stdout: '' });
      expect(edited.stderr).to.match(/^error {2}USAGE {2}--data is not JSON: .*\n$/);
      for (const data of [`{'id': 'x'}`, '{id: 1}']) {
        const { stderr } = await run('queue', 'publish', 'orders.placed', data);
        expect(stderr).to.match(/\n {4}hint: keys and texts stand in double quotes, the whole in single ones: '\{"id": "o-1"\}'\n$/);
      }
      expect(commands.admin.requests).to.deep.equal([]);
    });

    for (const [what, args, text] of refused) {
      it(`refuses ${what}, exit code 64`, async () => {
        expect(await run('queue', ...args)).to.deep.equal({ code: 64, stdout: '', stderr: `error  USAGE  ${text}\n` });
        expect(commands.admin.requests.every(({ method }) => method === 'GET'), 'nothing was changed').to.equal(true);
      });
    }
  });

  describe('treadle state', () => {
    const KEY = { key: 'a/b', value: { open: true }, revision: 3 };

    it('get prints a value, names of any kind', async () => {
      answers('GET /state/groups/g%2F1/keys/..', KEY);
      expect(await printed('state', 'get', 'g/1', '..')).to.equal('{\n  "open": true\n}\n');
      expect(JSON.parse(await printed('state', 'get', 'g/1', '..', '--json'))).to.deep.equal(KEY);
    });

    it('get ends with 64 for a key that is not there', async () => {
      answers('GET /state/groups/g/keys/k', { status: 404, detail: 'there is no key "k" in group "g"', code: 'not_found' }, 404);
      expect(await run('state', 'get', 'g', 'k')).to.deep.equal({ code: 1, stdout: '', stderr: 'error  NOT_FOUND  there is no key "k" in group "g"\n' });
    });

    it('set stores JSON, with a time to live or a revision', async () => {
      answers('PUT /state/groups/g/keys/k', { key: 'k', value: null, revision: 4 });
      expect(await printed('state', 'set', 'g', 'k', 'null', '--revision', '3')).to.equal('stored g k, revision 4\n');
      expect(commands.admin.last?.body).to.deep.equal({ value: null, revision: 3 });
      await printed('state', 'set', 'g', 'k', '"x"', '--ttl-ms', '500');
      expect(commands.admin.last?.body).to.deep.equal({ value: 'x', ttlMs: 500 });
      expect((await run('state', 'set', 'g', 'k', 'x y')).stderr).to.contain('the value is not JSON').and.contain('texts stand in quotes');
      expect((await run('state', 'set', 'g', 'k', '{"a": [1e400]}')).stderr).to.contain('the value has a number that is too large');
    });

    it('list shows groups, and the keys of one', async () => {
      answers('GET /state/groups', { items: ['a', 'b'], cursor: 'Yg' });
      expect(await printed('state', 'list')).to.equal('a\nb\n2 groups.\nthere are more: --cursor Yg\n');
      answers('GET /state/groups/g/keys', { items: [KEY] });
      expect(await printed('state', 'list', 'g', '--prefix', 'a', '--limit', '5', '--cursor', 'c')).to.equal('KEY  REVISION  VALUE\na/b  3         {"open":true}\n1 key.\n');
      expect(commands.admin.last?.path).to.equal('/api/v1/state/groups/g/keys?prefix=a&limit=5&cursor=c');
    });

    it('delete removes a key', async () => {
      answers('DELETE /state/groups/g/keys/k', { deleted: true });
      expect(await printed('state', 'delete', 'g', 'k')).to.equal('removed g k\n');
    });
  });

  describe('treadle stream watch', () => {
    const EVENT = { streamName: 's', groupId: 'g', epoch: 'e', seq: 1, id: 'i', event: { type: 'create', data: { n: 1 } }, timestamp: Date.parse('2026-03-01T10:00:00.123Z') };
    beforeEach(() => commands.admin.answers.set('GET /streams/watch', (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': open\n\n');
      response.end(`data: ${JSON.stringify(EVENT)}\n\ndata: ${JSON.stringify({ ...EVENT, id: undefined, event: { type: 'event', event: { type: 'ping', data: 1 } } })}\n\n`);
    }));

    it('prints events as they come, and says that the engine ended them', async () => {
      const { code, stdout, stderr } = await run('stream', 'watch', 's', 'g');
      expect(stdout).to.equal('10:00:00.123  g/i  create  {"n":1}\n10:00:00.123  g  event  {"type":"ping","data":1}\n');
      expect({ code, stderr }).to.deep.include({ code: 69 });
      expect(stderr).to.contain('ADMIN_UNREACHABLE').and.contain('the engine ended the events');
      expect(commands.admin.last?.path).to.equal('/api/v1/streams/watch?stream=s&group=g');
    });

    it('prints one JSON line for each with --json', async () => {
      const { stdout } = await run('stream', 'watch', 's', '--json');
      expect(JSON.parse(stdout.split('\n')[0] ?? '')).to.deep.equal(EVENT);
    });
  });

  describe('treadle backup', () => {
    it('names an absolute file and says what was copied and what was not', async () => {
      answers('POST /backup', { files: [{ store: '/data/treadle.db', file: `${commands.folder}/b.db`, bytes: 4096 }], notCopied: ['modules::state::adapters::KvStore'] });
      expect(await run('backup', 'b.db')).to.deep.equal({
        code: 0, stdout: `${commands.folder}/b.db  4096 bytes, copied from /data/treadle.db\n`, stderr: 'not in the backup: the data of modules::state::adapters::KvStore\n',
      });
      expect(commands.admin.last?.body).to.deep.equal({ file: `${commands.folder}/b.db` });
    });
  });

  it('console prints a link that opens the page, and opens it only where somebody sits before the screen', async () => {
    const link = { url: 'http://127.0.0.1:3113/?t=abc', expiresAt: '2026-01-01T00:00:00.000Z' };
    answers('POST /session/link', link);
    expect(await printed('console')).to.equal(`${link.url}\n`);
    expect(JSON.parse(await printed('console', '--json'))).to.deep.equal(link);
    const terminal = { isTTY: true };
    expect(canOpen({ DISPLAY: ':0' }, terminal, 'linux')).to.equal(true);
    expect(canOpen({}, terminal, 'darwin')).to.equal(true);
    for (const [env, stdout] of [[{}, terminal], [{ DISPLAY: ':0', CI: '1' }, terminal], [{ DISPLAY: ':0', SSH_CONNECTION: 'x' }, terminal], [{ DISPLAY: ':0' }, {}]] as const) {
      expect(canOpen(env, stdout, 'linux'), JSON.stringify([env, stdout])).to.equal(false);
    }
  });

  it('end with 64 for what the user can mend and with 69 for the rest, in the one form of errors', async () => {
    const cases: readonly (readonly [number, string, string, number, string])[] = [
      [409, 'state_conflict', 'too late', 64, 'error  USAGE  too late\n'],
      [422, 'bad_message', 'too large', 64, 'error  USAGE  too large\n'],
      [401, 'unauthorized', 'wrong token', 69, `error  ADMIN_REFUSED  the admin API at ${commands.url} refused: wrong token\n    hint: set ADMIN_TOKEN to the engine's token, or run the command as the engine's user\n`],
      [404, 'module_not_loaded', 'this engine has no queue module', 69, `error  ADMIN_REFUSED  the admin API at ${commands.url} refused: this engine has no queue module\n    hint: add the module to the engine's configuration\n`],
      [503, 'queue_full', 'it is full', 69, `error  ADMIN_REFUSED  the admin API at ${commands.url} refused: it is full\n`],
      [500, 'internal_error', 'the route failed', 69, `error  ADMIN_REFUSED  the admin API at ${commands.url} refused: the route failed\n`],
    ];
    for (const [status, code, error, exit, text] of cases) {
      answers('GET /queues', { status, detail: error, code }, status);
      expect(await run('queue', 'list')).to.deep.equal({ code: exit, stdout: '', stderr: text });
    }
    const { stdout } = await run('queue', 'list', '--json');
    expect(JSON.parse(stdout)).to.deep.include({ exitCode: 69 });
    commands.admin.answers.set('GET /queues', (response) => response.writeHead(404).end('<html>'));
    expect((await run('queue', 'list')).stderr).to.contain('something else answers there, with status 404');
    commands.admin.answers.set('GET /queues', (response) => response.destroy());
    expect((await run('queue', 'list')).code).to.equal(69);
  });
});
