import { expect } from 'chai';
import { logCall } from './log-call.js';

describe('a call of the logger', () => {
  it('has a message and fields', () => {
    expect(logCall('paid', { id: 1 })).to.deep.equal({ message: 'paid', fields: { id: 1 } });
    expect(logCall(7, undefined)).to.deep.equal({ message: '7', fields: undefined });
    expect(logCall(null, undefined).message).to.equal('null');
  });

  it('keeps name, stack and members of an error', () => {
    const error = Object.assign(new RangeError('too much'), { code: 'E_MUCH' });
    const { message, fields } = logCall(error, { id: 1 });
    expect(message).to.equal('too much');
    expect(fields).to.deep.include({ errorName: 'RangeError', code: 'E_MUCH', id: 1 });
    expect(fields?.['stack']).to.be.a('string').that.contains('log-call.test.ts');
    expect(logCall(error, 'the order failed')).to.deep.include({ message: 'the order failed' });
    expect(logCall(error, 'the order failed').fields).to.deep.include({ error: 'too much' });
  });

  it('may begin with the fields', () => {
    expect(logCall({ id: 1 }, 'paid')).to.deep.equal({ message: 'paid', fields: { id: 1 } });
    expect(logCall({ message: 'paid', id: 1 }, undefined)).to.deep.equal({ message: 'paid', fields: { message: 'paid', id: 1 } });
    expect(logCall({ id: 1, list: [1] }, undefined).message).to.equal('{"id":1,"list":[1]}');
    expect(logCall({ get id() { throw new Error('trap'); } }, undefined).message).to.contain('unreadable: trap');
  });
});
