import { expect } from 'chai';
import { expectType, type Same } from './expect-type.fixture.js';
import { http, redirect, step } from './index.js';

describe('redirect', () => {
  it('is a result with a location in ASCII, and takes further headers', () => {
    expect(redirect('/a?b=ü%20c d')).to.deep.equal({ status: 302, headers: { location: '/a?b=%C3%BC%20c%20d' } });
    expect(redirect(new URL('https://e.example/x'), 303, { 'set-cookie': ['a=1', 'b=2'], location: 'no' }))
      .to.deep.equal({ status: 303, headers: { 'set-cookie': ['a=1', 'b=2'], location: 'https://e.example/x' } });
    expect(redirect('/a\r\nset-cookie: x').headers['location']).to.equal('/a%0D%0Aset-cookie:%20x');
  });

  it('fits a handler with schemas for other statuses', () => {
    step({ name: 'A', triggers: [http('GET', '/a', { responseSchema: { 200: { type: 'string' } } })] }, () => redirect('/', 308));
    const { status } = redirect('/', 303);
    expectType<Same<typeof status, 303>>();
    // @ts-expect-error -- sends nobody elsewhere
    redirect('/', 200);
  });
});
