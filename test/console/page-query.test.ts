import { expect } from 'chai';
import { queryText, queryValue, withQueryMember } from '../../console/app/src/views/endpoints/query-text.js';

const SCHEMA = {
  type: 'object', required: ['page'],
  properties: { page: { type: 'integer' }, open: { type: 'boolean' }, status: { enum: ['', 'open', 7] }, tags: { type: 'array', items: { type: 'string' } }, text: { type: 'string' } },
};

describe('the query of a request as members of its schema', () => {
  it('is read as the engine reads it', () => {
    expect(queryValue(SCHEMA, 'page=2&open=false&status=7&tags=a&tags=b&text=x+y&text=%C3%A9&other=1')).to.deep.equal({ page: 2, open: false, status: 7, tags: ['a', 'b'], text: 'é' });
    expect(queryValue(SCHEMA, 'page=two&open=maybe&status=&tags=')).to.deep.equal({ page: 'two', open: 'maybe', status: '', tags: [''] });
    expect(queryValue(SCHEMA, '')).to.deep.equal({});
  });

  it('takes another member, and leaves the others as they are', () => {
    expect(withQueryMember('a=1&page=2&b=%26', 'page', 3)).to.equal('a=1&b=%26&page=3');
    expect(withQueryMember('tags=a&x=1&tags=b', 'tags', ['c d', '=&'])).to.equal('x=1&tags=c+d&tags=%3D%26');
    expect(withQueryMember('page=2&x=1', 'page', undefined)).to.equal('x=1');
    expect(queryText({ page: 1, open: true, tags: ['a', 'b'] })).to.equal('page=1&open=true&tags=a&tags=b');
    expect(queryText(null)).to.equal('');
  });
});
