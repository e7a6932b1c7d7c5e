import { expect } from 'chai';
import { type AnswerOf, type Arguments, type OperationId, type ReadId, requestOf } from '../../console/app/src/api/operations.js';

describe('calls of the page of the console', () => {
  it('have their arguments in the path, the query and the body', () => {
    expect(requestOf('PUT /state/groups/{group}/keys/{key}', { group: 'a/b', key: '..%', body: { value: 1 } })).to.deep.equal({ method: 'PUT', path: '/state/groups/a%2Fb/keys/..%25', query: {}, body: { value: 1 } });
    expect(requestOf('GET /traces/{id}', { id: 'x', limit: 5 })).to.deep.equal({ method: 'GET', path: '/traces/x', query: { limit: 5 }, body: undefined });
    expect(requestOf('GET /meta')).to.deep.equal({ method: 'GET', path: '/meta', query: {}, body: undefined });
  });

  it('do not compile where the document has no such operation, parameter or body', () => {
    const steps: AnswerOf<'GET /steps'>['items'][number]['id'] = 'a step is known by its name';
    // @ts-expect-error -- there is no such path
    const path: ReadId = 'GET /cron/run';
    // @ts-expect-error -- it has no such method
    const method: OperationId = 'POST /meta';
    // @ts-expect-error -- the path needs an id
    const missing: Arguments<'GET /traces/{id}'> = { limit: 5 };
    // @ts-expect-error -- the query has no such parameter
    const other: Arguments<'GET /cron/runs'> = { steps: 'A' };
    // @ts-expect-error -- a Step is to be named
    const body: Arguments<'POST /queues/pause'> = { body: { topic: 'a' } };
    expect([steps, path, method, missing, other, body].length).to.equal(6);
  });
});
