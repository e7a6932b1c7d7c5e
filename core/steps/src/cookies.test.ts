import { expect } from 'chai';
import { clearCookie, parseCookies, setCookie, sign, unsign } from './cookies.js';

describe('cookies', () => {
  it('are read as browsers and others send them', () => {
    expect({ ...parseCookies('a=1; b=x%20y;c="q"; a=2; d=100%; bad; =no; e=a=b; __proto__=p; constructor=c') })
      .to.deep.equal(Object.assign(Object.create(null), { a: '1', b: 'x y', c: 'q', d: '100%', e: 'a=b', ['__proto__']: 'p', constructor: 'c' }) as object);
    expect(Object.keys(parseCookies(undefined))).to.deep.equal([]);
    expect(parseCookies('x=1')['toString']).to.equal(undefined);
  });

  it('are written with careful attributes, and what no cookie can have is refused', () => {
    expect(setCookie('sid', 'a b;c')).to.equal('sid=a%20b%3Bc; Path=/; Secure; HttpOnly; SameSite=Lax');
    expect(setCookie('sid', 'x', { maxAgeS: 60, path: '/a', domain: 'e.example', secure: false, httpOnly: false, sameSite: 'none' }))
      .to.equal('sid=x; Path=/a; Domain=e.example; Max-Age=60; SameSite=None');
    expect(clearCookie('sid', { path: '/a' })).to.equal('sid=; Path=/a; Max-Age=0; Secure; HttpOnly; SameSite=Lax');
    const wrong: readonly (() => string)[] = [
      () => setCookie('a b', 'x'), () => setCookie('a\r\nb', 'x'), () => setCookie('', 'x'), () => setCookie('a', 'x', { path: '/; Domain=evil' }),
      () => setCookie('a', 'x', { domain: 'a\r\nset-cookie: b' }), () => setCookie('a', 'x', { maxAgeS: 1.5 }), () => setCookie('a', 'x'.repeat(4100)),
    ];
    for (const write of wrong) expect(write).to.throw(RangeError);
  });

  it('that are signed cannot be changed, made up or used for something else', () => {
    const signed = sign('user=7', 'secret-1', 'sid');
    expect(unsign(signed, 'secret-1', 'sid')).to.equal('user=7');
    expect(unsign(signed, ['secret-2', 'secret-1'], 'sid')).to.equal('user=7');
    const forged = [signed.replace('7', '8'), `${signed}x`, signed.slice(0, -1), 'user=7', 'user=7.', '', undefined];
    for (const each of forged) expect(unsign(each, 'secret-1', 'sid'), String(each)).to.equal(undefined);
    expect(unsign(signed, 'secret-2', 'sid')).to.equal(undefined);
    expect(unsign(signed, 'secret-1', 'other')).to.equal(undefined);
    expect(unsign(sign('d', 's', 'ab:c'), 's', 'ab')).to.equal(undefined);
    expect(() => sign('x', '')).to.throw(RangeError);
  });
});
