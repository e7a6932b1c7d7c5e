import { expect } from 'chai';
import { learnSecrets } from './known-secrets.js';
import { isSecretField } from './secret-fields.js';
import { looksSecret } from './secret-names.js';
import { redactText } from './secret-texts.js';

describe('redaction of texts', () => {
  const table: readonly (readonly [string, string])[] = [
    ['{ user: "x", password: \'hunter2\' }', '{ user: "x", password: \'[redacted]\' }'], ['DB_PASSWORD=hunter2 node app', 'DB_PASSWORD=[redacted] node app'],
    ['clientSecret="a b" next', 'clientSecret="[redacted]" next'], ['cookie: session=abc; theme=dark', 'cookie: [redacted]'], ['Set-Cookie: id=a1; Path=/\nnext', 'Set-Cookie: [redacted]\nnext'],
    ['POST /login?user=x&password=hunter2', 'POST /login?user=x&password=[redacted]'], ['"apiKey": "k-1", "n": 1', '"apiKey": "[redacted]", "n": 1'],
    ['refused token: tok-4711-abc, sorry', 'refused token: [redacted], sorry'], ['login with password: swordfish', 'login with password: [redacted]'],
    ['sessionId=abc123&x=1', 'sessionId=[redacted]&x=1'], ['"passphrase": "open sesame"', '"passphrase": "[redacted]"'], ['pin: 4711', 'pin: [redacted]'],
    ['otp=123456', 'otp=[redacted]'], ['db.pwd: \'x\'', 'db.pwd: \'[redacted]\''], ['userSession: "s-1"', 'userSession: "[redacted]"'],
  ];
  for (const [text, shown] of table) it(`shows ${JSON.stringify(shown)}`, () => expect(redactText(text)).to.equal(shown));

  it('hides the values of secret variables wherever they are, also in URLs and JSON', () => {
    const secret = 'tr0ub4dor&3 "x"';
    learnSecrets({ APP_DB_PASSWORD: secret, STRIPE_KEY: 'sk-test-4711', OWN_TOKEN: 'sk-test-4711-longer', PUBLIC_URL: 'http://plain.test', SHORT_TOKEN: 'abc' });
    expect(redactText(`no ${secret} here`)).to.equal('no [redacted] here');
    expect(redactText(`/x?y=${encodeURIComponent(secret)}`)).to.equal('/x?y=[redacted]');
    expect(redactText(JSON.stringify({ note: secret }))).to.equal('{"note":"[redacted]"}');
    expect(redactText('sk-test-4711 sk-test-4711-longer')).to.equal('[redacted] [redacted]');
    expect(redactText('abc http://plain.test')).to.equal('abc http://plain.test');
  });

  it('leaves ordinary words alone, although a variable has them', () => {
    learnSecrets({ ORDINARY_PASSWORD: 'postgres', NUMBER_TOKEN: '12345678', PWD: '/srv/shop', OLDPWD: '/srv/shop/data' });
    expect(redactText('file /srv/shop/data/treadle.db')).to.equal('file /srv/shop/data/treadle.db');
    expect(redactText('postgres has 12345678 rows')).to.equal('postgres has 12345678 rows');
    for (const text of ['the cookie is stale', 'token expired', 'secretary: Ada', 'monkey=1', 'basically fine', 'invalid token: expired', 'spinning: 42', 'shopping=1', 'session: none', 'opinion: 5']) expect(redactText(text)).to.equal(text);
    expect(looksSecret('tokenizer')).to.equal(false);
  });

  it('knows names of keys by their words', () => {
    for (const name of ['pwd', 'dbPwd', 'passphrase', 'session', 'userSession', 'sessionId', 'SESSION_ID', 'pin', 'cardPin', 'otp', 'otpCode']) expect(looksSecret(name), name).to.equal(true);
    for (const name of ['sessionTimeoutMs', 'session_count', 'sessions', 'pinned', 'spin', 'shipping', 'pwdless', 'optional']) expect(looksSecret(name), name).to.equal(false);
  });

  it('takes time in proportion to the text, whatever the text', () => {
    for (const text of ['password'.repeat(20_000), `${'a'.repeat(100_000)}=`, '"'.repeat(100_000), `token="${'\\'.repeat(100_000)}`, 'cookie: '.repeat(20_000)]) redactText(text);
  });
});

describe('redaction of fields', () => {
  it('shows counts and flags, and no number under a singular name', () => {
    for (const [key, value] of [['tokens', 12], ['token', true], ['token', null], ['password', undefined]] as const) expect(isSecretField(key, value), key).to.equal(false);
    for (const [key, value] of [['token', 12], ['pin', 4711], ['tokens', 'abc'], ['refreshTokens.first', 'abc']] as const) expect(isSecretField(key, value), key).to.equal(true);
  });

  it('remembers a bounded number of keys', () => {
    for (let index = 0; index < 5_000; index += 1) isSecretField(`key${index}`, 'x');
    expect(isSecretField('password', 'x')).to.equal(true);
  });
});
