import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { http, type HttpError, step } from '../index.js';
import { expectType, type Same } from '../expect-type.fixture.js';
import { apiKey, basic, bearer, guard, type JwtClaims, sessionCookie } from './index.js';

const SECRET = 'a secret of more than sixteen characters';
const from = (headers: Record<string, string>, query: Record<string, string> = {}) => ({ headers, query });
const jwt = (claims: object, expiry: string | undefined = '1h'): SignJWT => {
  const made = new SignJWT({ ...claims }).setIssuedAt().setIssuer('https://id.example').setAudience('shop');
  return expiry === undefined ? made : made.setExpirationTime(expiry);
};
const basicOf = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('guards', () => {
  type Run = (request: object, ctx: object, next: (added: object) => unknown) => Promise<unknown>;

  it('answer 401 with the challenge, hand on who it is, and let anybody through where they are optional', async () => {
    const made = guard(({ headers }) => (headers['x-user'] === undefined ? null : { user: headers['x-user'] }), 'Own');
    const run = made as unknown as Run;
    const optional = made.optional as unknown as Run;
    expect(await run(from({ 'x-user': 'ada' }), {}, (added) => added)).to.deep.equal({ auth: { user: 'ada' } });
    const refused = await run(from({}), {}, () => 'in').catch((error: unknown) => error) as HttpError;
    expect([refused.status, refused.headers]).to.deep.equal([401, { 'www-authenticate': 'Own' }]);
    expect(await optional(from({}), {}, (added) => added)).to.deep.equal({ auth: undefined });
    expect(await made.authenticate(from({}))).to.equal(null);
  });

  it('type what the handler finds', () => {
    const found = apiKey({ find: async (key) => (key === 'x' ? { tenant: 7 } : null) });
    step({ name: 'A', triggers: [http('GET', '/a', { middleware: [found] })] }, (_input, { auth }) => {
      expectType<Same<typeof auth, { tenant: number }>>();
      return undefined;
    });
    const session = sessionCookie<{ id: string }>({ secret: SECRET });
    step({ name: 'B', triggers: [http('GET', '/b', { middleware: [session.optional] })] }, (_input, { auth }) => {
      expectType<Same<typeof auth, { id: string } | undefined>>();
      return undefined;
    });
    step({ name: 'C', triggers: [http('GET', '/c', { middleware: [bearer({ secret: SECRET })] })] }, (_input, { auth }) => {
      expectType<Same<typeof auth, JwtClaims>>();
      return undefined;
    });
  });

  it('say how credentials are sent, and whether they are needed', () => {
    const facts = (made: unknown): unknown => (made as Record<symbol, unknown>)[Symbol.for('treadle.guard')];
    const key = apiKey({ keys: { a: 'x' }, header: 'X-Key', query: 'key' });
    const inHeader = { type: 'apiKey', in: 'header', name: 'x-key' };
    expect(facts(key)).to.deep.equal({ schemes: [inHeader, { type: 'apiKey', in: 'query', name: 'key' }] });
    expect(facts(key.optional)).to.deep.equal({ schemes: [inHeader, { type: 'apiKey', in: 'query', name: 'key' }], optional: true });
    expect(facts(basic({ users: { a: 'x' } }))).to.deep.equal({ schemes: [{ type: 'http', scheme: 'basic' }] });
    expect(facts(bearer({ secret: SECRET }))).to.deep.equal({ schemes: [{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }] });
    expect(facts(bearer({ find: () => null }))).to.deep.equal({ schemes: [{ type: 'http', scheme: 'bearer' }] });
    expect(facts(sessionCookie({ secret: SECRET, name: 'sid' }))).to.deep.equal({ schemes: [{ type: 'apiKey', in: 'cookie', name: 'sid' }] });
    expect(facts(guard(() => null))).to.deep.equal({ schemes: [] });
    for (const scheme of [{ type: 'http', scheme: 'no token' }, { type: 'apiKey', in: 'body', name: 'k' }, { type: 'oauth2' }, null]) {
      expect(() => guard(() => null, undefined, [scheme as never])).to.throw(/ is no scheme; write \{ type: "apiKey"/);
    }
  });

  it('refuse to be made without their secrets, except in a build', () => {
    const makers: readonly (readonly [() => unknown, string])[] = [
      [() => apiKey({ keys: { billing: undefined } }), 'apiKey(): "keys.billing" is not set; set the environment variable that it is read from'],
      [() => apiKey({ keys: {} }), 'apiKey(): "keys" has no key, so nobody could get in'],
      [() => basic({ users: { ada: '' } }), 'basic(): "users.ada" is not set; set the environment variable that it is read from'],
      [() => bearer({ secret: undefined }), 'bearer(): "secret" is not set; set the environment variable that it is read from'],
      [() => bearer({ secret: 'short' }), 'bearer(): "secret" has 5 characters; use 16 or more, for example of "openssl rand -base64 32"'],
      [() => bearer({}), 'bearer(): give exactly one of "jwks", "publicKey", "secret" and "find", not none'],
      [() => sessionCookie({ secret: [] }), 'sessionCookie(): "secret" is an empty list'],
      [() => sessionCookie({ secret: undefined }), 'sessionCookie(): "secret" is not set; set the environment variable that it is read from'],
    ];
    for (const [make, message] of makers) expect(make).to.throw(message);
    process.env['TREADLE_BUILD'] = '1';
    try {
      expect(() => [apiKey({ keys: { billing: undefined } }), sessionCookie({ secret: undefined })]).not.to.throw();
    } finally {
      delete process.env['TREADLE_BUILD'];
    }
  });
});

describe('apiKey and basic', () => {
  it('know keys by the name of their owner, in a header or where it is allowed in the query', async () => {
    const { authenticate } = apiKey({ keys: { billing: 'k1', shop: 'k2' }, query: 'key' });
    expect(await authenticate(from({ 'x-api-key': 'k2' }))).to.deep.equal({ name: 'shop' });
    expect(await authenticate(from({}, { key: 'k1' }))).to.deep.equal({ name: 'billing' });
    for (const wrong of [from({ 'x-api-key': 'k3' }), from({ 'x-api-key': '' }), from({}), from({ 'x-api-key': 'toString' })]) expect(await authenticate(wrong)).to.equal(null);
    expect(await apiKey({ keys: { a: 'k' } }).authenticate(from({}, { key: 'k' }))).to.equal(null);
    expect(await apiKey({ header: 'X-Own', find: (key) => key }).authenticate(from({ 'x-own': 'me' }))).to.equal('me');
  });

  it('know users by name and password', async () => {
    const { authenticate } = basic({ users: { ada: 'a:b', bob: 'c' } });
    expect(await authenticate(from({ authorization: basicOf('ada:a:b') }))).to.deep.equal({ user: 'ada' });
    for (const text of ['ada:c', 'bob:a:b', 'ada', '', ':', '__proto__:x']) expect(await authenticate(from({ authorization: basicOf(text) })), text).to.equal(null);
    expect(await authenticate(from({ authorization: 'Basic' }))).to.equal(null);
  });
});

describe('bearer', () => {
  it('checks signature, time, issuer and audience of tokens with a secret', async () => {
    const key = new TextEncoder().encode(SECRET);
    const { authenticate } = bearer({ secret: SECRET, issuer: 'https://id.example', audience: 'shop' });
    const ask = (token: string) => authenticate(from({ authorization: `Bearer ${token}` }));
    const right = await jwt({ sub: 'ada' }).setProtectedHeader({ alg: 'HS256' }).sign(key);
    expect(await ask(right)).to.include({ sub: 'ada', aud: 'shop' });
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${right.split('.')[1] ?? ''}.`;
    const wrong = [
      await jwt({}, '-1h').setProtectedHeader({ alg: 'HS256' }).sign(key), await jwt({}).setAudience('other').setProtectedHeader({ alg: 'HS256' }).sign(key),
      await jwt({}).setIssuer('other').setProtectedHeader({ alg: 'HS256' }).sign(key), await jwt({}).setProtectedHeader({ alg: 'HS384' }).sign(key),
      await new SignJWT({}).setIssuer('https://id.example').setAudience('shop').setProtectedHeader({ alg: 'HS256' }).sign(key),
      await jwt({}).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('another secret, as long')), none, 'no.token', 'x', '..',
    ];
    for (const token of wrong) expect(await ask(token), token).to.equal(null);
  });

  it('takes public keys, from a text or from an address that is asked when needed', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    let asked = 0;
    let keys = 200;
    const jwk = { ...await exportJWK(publicKey), kid: '1', alg: 'RS256' };
    const server = createServer((_request, response) => {
      asked++;
      response.writeHead(keys).end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const token = await jwt({ sub: 'ada' }).setProtectedHeader({ alg: 'RS256', kid: '1' }).sign(privateKey);
    const header = from({ authorization: `bearer ${token}` });
    const remote = bearer({ jwks });
    expect([(await remote.authenticate(header))?.sub, (await remote.authenticate(header))?.sub, asked]).to.deep.equal(['ada', 'ada', 1]);
    expect((await bearer({ publicKey: await exportSPKI(publicKey) }).authenticate(header))?.sub).to.equal('ada');
    const stranger = await generateKeyPair('RS256', { extractable: true });
    expect(await bearer({ publicKey: await exportSPKI(stranger.publicKey) }).authenticate(header)).to.equal(null);
    const both = bearer({ publicKey: await exportSPKI(publicKey), algorithms: ['RS256', 'ES256'] });
    const other = await jwt({ sub: 'ada' }).setProtectedHeader({ alg: 'ES256' }).sign((await generateKeyPair('ES256')).privateKey);
    expect(await both.authenticate(from({ authorization: `bearer ${other}` }))).to.equal(null);
    for (const status of [500, 429]) {
      keys = status;
      const failing = await bearer({ jwks }).authenticate(header).catch((error: unknown) => error) as HttpError;
      expect(failing.status, `an issuer that answers ${status}`).to.equal(503);
    }
    await new Promise((resolve) => void server.close(resolve));
    const unreachable = await bearer({ jwks }).authenticate(header).catch((error: unknown) => error) as HttpError;
    expect(unreachable.status).to.equal(503);
  });

  it('takes algorithms of two kinds with a public key, and refuses tokens of the other', async () => {
    const pairs = await Promise.all((['RS256', 'ES256', 'EdDSA'] as const).map(async (name) => [name, await generateKeyPair(name, { extractable: true })] as const));
    for (const [own, { publicKey }] of pairs) {
      const guard = bearer({ publicKey: await exportSPKI(publicKey), algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA', 'HS256'] });
      const claims = async (name: string, key: Parameters<SignJWT['sign']>[0]): Promise<unknown> =>
        guard.authenticate(from({ authorization: `bearer ${await jwt({ sub: 'ada' }).setProtectedHeader({ alg: name }).sign(key)}` }));
      for (const [name, { privateKey }] of pairs) expect(await claims(name, privateKey) !== null, `${name} for ${own}`).to.equal(name === own);
      expect(await claims('HS256', new TextEncoder().encode(await exportSPKI(publicKey))), 'signed with what everybody knows').to.equal(null);
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const guard = bearer({ publicKey: rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(), algorithms: ['RS256', 'PS256'] });
    for (const alg of ['RS256', 'PS256', 'RS512']) {
      const token = await jwt({ sub: 'ada' }).setProtectedHeader({ alg }).sign(rsa.privateKey);
      expect((await guard.authenticate(from({ authorization: `bearer ${token}` })))?.sub, alg).to.equal(alg === 'RS512' ? undefined : 'ada');
    }
  });

  it('says of a public key that lets nobody in when it is made', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const [key, algorithms, message] of [
      [pem, undefined, "is a key of the curve secp384r1, which fits none of the algorithms RS256; write algorithms: ['ES384'], or give"],
      [pem, ['ES256', 'RS256'], "is a key of the curve secp384r1, which fits none of the algorithms ES256, RS256; write algorithms: ['ES384']"],
      [generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(), undefined, 'is a key of x25519, which fits none of the algorithms RS256; use a key of RSA'],
      [privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), undefined, 'cannot be read: it is a private key; give the public one'],
      [pem.replaceAll('\n', '\\n'), undefined, 'cannot be read: give a PEM with its line breaks'], ['x', undefined, 'cannot be read: give a PEM with its line breaks'],
    ] as const) {
      expect(() => bearer({ publicKey: key, algorithms: algorithms && [...algorithms] }), message).to.throw(`bearer(): "publicKey" ${message}`);
    }
  });

  it('reads a header of nothing but spaces as quickly as any other', async () => {
    const { authenticate } = bearer({ find: (token: string) => token });
    const spaces = ' '.repeat(15_500);
    // Ten minutes for what goes back and forth over each space.
    for (let time = 0; time < 3_000; time += 1) await authenticate(from({ authorization: `Bearer x${spaces}y` }));
    expect(await authenticate(from({ authorization: ` bearer \t token ${spaces}` }))).to.equal('token');
    expect(await authenticate(from({ authorization: 'bearer ' }))).to.equal(null);
  });

  it('leaves tokens of another kind to a function', async () => {
    const { authenticate } = bearer({ find: (token: string) => (token === 'opaque' ? { user: 7 } : undefined), query: 'token' });
    expect(await authenticate(from({}, { token: 'opaque' }))).to.deep.equal({ user: 7 });
    expect(await authenticate(from({ authorization: 'Basic opaque' }))).to.equal(null);
  });
});

describe('sessionCookie', () => {
  const cookieOf = (header: string): { cookie: string } => ({ cookie: header.split(';', 1)[0] ?? '' });

  it('keeps what a session was begun with until its time is up', async () => {
    const session = sessionCookie<{ user: string }>({ secret: SECRET, maxAgeS: 60 });
    const header = session.begin({ user: 'Ädä' });
    expect(header).to.match(/^session=[\w.-]+; Path=\/; Max-Age=60; Secure; HttpOnly; SameSite=Lax$/);
    expect(await session.authenticate(from(cookieOf(header)))).to.deep.equal({ user: 'Ädä' });
    expect(await sessionCookie({ secret: SECRET, maxAgeS: 0 }).authenticate(from(cookieOf(sessionCookie({ secret: SECRET, maxAgeS: 0 }).begin({}))))).to.equal(null);
    expect(session.end()).to.match(/^session=; Path=\/; Max-Age=0;/);
  });

  it('refuses what was changed, or signed for another cookie or with another secret', async () => {
    const session = sessionCookie({ secret: SECRET });
    const { cookie } = cookieOf(session.begin({ user: 1 }));
    expect(await session.authenticate(from({ cookie: cookie.replace(/.(?=\.)/, 'x') }))).to.equal(null);
    expect(await session.authenticate(from({ cookie: cookieOf(sessionCookie({ secret: SECRET, name: 'other' }).begin({})).cookie.replace('other', 'session') }))).to.equal(null);
    expect(await sessionCookie({ secret: 'another secret, long enough' }).authenticate(from({ cookie }))).to.equal(null);
    expect(await sessionCookie({ secret: ['a new secret, long enough', SECRET] }).authenticate(from({ cookie }))).to.deep.equal({ user: 1 });
    expect(await session.authenticate(from({}))).to.equal(null);
  });
});
