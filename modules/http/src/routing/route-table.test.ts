import { expect } from 'chai';
import { parseRoutePath, type RoutePath } from './route-grammar.js';
import { RouteTable } from './route-table.js';

const path = (text: string): RoutePath => parseRoutePath(text) as RoutePath;

function tableOf(...routes: readonly (readonly [string, string])[]): RouteTable<string> {
  const table = new RouteTable<string>();
  for (const [method, route] of routes) table.add(method, path(route), `${method} ${route}`);
  return table;
}

describe('RouteTable', () => {
  const table = tableOf(
    ['GET', '/'], ['GET', '/users'], ['GET', '/users/me'], ['GET', '/users/:id'], ['DELETE', '/users/:id'],
    ['GET', '/users/:user/posts/:post'], ['POST', '/users'], ['GET', '/files/*rest'], ['GET', '/café'],
  );
  const matches: readonly [string, string, string | undefined, object?][] = [
    ['GET', '/', 'GET /'],
    ['GET', '/users', 'GET /users'],
    ['GET', '/users/me', 'GET /users/me'],
    ['GET', '/users/7', 'GET /users/:id', { id: '7' }],
    ['GET', '/users/a%2Fb', 'GET /users/:id', { id: 'a/b' }],
    ['GET', '/users/%C3%A9', 'GET /users/:id', { id: 'é' }],
    ['DELETE', '/users/me', 'DELETE /users/:id', { id: 'me' }],
    ['GET', '/users/1/posts/2', 'GET /users/:user/posts/:post', { user: '1', post: '2' }],
    ['GET', '/files/a/b.txt', 'GET /files/*rest', { rest: 'a/b.txt' }],
    ['GET', '/%75sers', 'GET /users', {}],
    ['GET', '/caf%C3%A9', 'GET /café', {}],
    ['HEAD', '/users', 'GET /users'],
    ['HEAD', '/users/7', 'GET /users/:id', { id: '7' }],
    ['GET', '/Users', undefined],
    ['GET', '/users/', undefined],
    ['GET', '//users', undefined],
    ['GET', '/users//posts/2', undefined],
    ['GET', '/files/', 'GET /files/*rest', { rest: '' }],
    ['GET', '/files', 'GET /files/*rest', { rest: '' }],
    ['HEAD', '/files', 'GET /files/*rest', { rest: '' }],
    ['PUT', '/users', undefined],
    ['HEAD', '/nothing', undefined],
    ['GET', '/users/%', undefined],
    ['GET', `/users/${'a'.repeat(1025)}`, undefined],
    ['BREW', '/users', undefined],
  ];
  for (const [method, target, store, params] of matches) {
    it(`${store ? 'finds' : 'does not find'} ${method} ${target.slice(0, 40)}`, () => {
      const match = table.match(method, target);
      expect(match?.store).to.equal(store);
      expect(match?.params && { ...match.params }).to.deep.equal(params);
    });
  }

  it('finds the root by a rest alone, and a method HEAD of its own before GET', () => {
    const site = tableOf(['GET', '/*rest'], ['GET', '/a/:id'], ['HEAD', '/a/:id'], ['GET', '/users/:id/*rest']);
    expect({ ...site.match('GET', '/')?.params }).to.deep.equal({ rest: '' });
    expect(site.match('HEAD', '/a/1')?.store).to.equal('HEAD /a/:id');
    expect(site.match('HEAD', '/b')?.store).to.equal('GET /*rest');
    expect(site.match('GET', '/users//x')?.store).to.not.equal('GET /users/:id/*rest');
  });

  it('finds a path by an empty rest only where no other route takes it', () => {
    const site = tableOf(['GET', '/files/*rest'], ['POST', '/files'], ['GET', '/:page'], ['GET', '/a/:id/*rest']);
    expect(site.match('GET', '/files')?.store).to.equal('GET /:page');
    expect({ ...site.match('GET', '/a/1')?.params }).to.deep.equal({ id: '1', rest: '' });
    expect(site.match('GET', '/a')?.store).to.equal('GET /:page');
    expect(site.match('GET', '/fil/es')).to.equal(undefined);
    expect(tableOf(['GET', '/files/*rest'], ['POST', '/files']).allowed('/files')).to.deep.equal(['GET', 'HEAD', 'POST', 'OPTIONS']);
  });

  it('lists the methods of a path across exact and parameter routes', () => {
    expect(table.allowed('/users/me')).to.deep.equal(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
    expect(table.allowed('/users')).to.deep.equal(['GET', 'HEAD', 'POST', 'OPTIONS']);
    expect(table.allowed('/nothing')).to.deep.equal([]);
  });

  it('forgets a removed route and keeps the others', () => {
    const changing = tableOf(['GET', '/a'], ['GET', '/a/:b'], ['GET', '/c']);
    changing.remove('GET', path('/a/:x'), 'GET /a/:b');
    changing.remove('GET', path('/c'), 'somebody else');
    expect(changing.match('GET', '/a/1')).to.equal(undefined);
    expect(changing.match('GET', '/a')?.store).to.equal('GET /a');
    expect(changing.match('GET', '/c')?.store).to.equal('GET /c');
  });

  it('lets a route be replaced', () => {
    const changing = tableOf(['GET', '/a/:b']);
    changing.add('GET', path('/a/:other'), 'new');
    expect(changing.match('GET', '/a/1')).to.deep.include({ store: 'new' });
    expect({ ...changing.match('GET', '/a/1')?.params }).to.deep.equal({ other: '1' });
  });

  it('is not slowed down by a thousand routes', () => {
    const large = new RouteTable<number>();
    for (let i = 0; i < 1000; i++) large.add('GET', path(`/r${i}/:id`), i);
    expect(large.match('GET', '/r999/x')?.store).to.equal(999);
  });

  it('keeps names of members of Object apart from routes', () => {
    expect(table.match('GET', '/constructor')).to.equal(undefined);
    expect(table.match('constructor', '/')).to.equal(undefined);
    expect(table.match('__proto__', '/users/1')).to.equal(undefined);
  });
});
