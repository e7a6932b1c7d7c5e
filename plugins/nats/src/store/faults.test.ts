import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import { expect } from 'chai';
import { operationError } from './faults.js';

const codeOf = (error: Error): string => operationError(error, 'NATS').code;
const apiError = (code: number, description: string): Error => new JetStreamApiError({ code: 404, err_code: code, description });

describe('errors of NATS', () => {
  it('are those of a server that is away where a consumer has ended, which the next call makes anew', () => {
    for (const text of ['heartbeats missed', 'Consumer Deleted', 'Leadership Change', 'Server Shutdown']) expect(codeOf(new JetStreamError(text)), text).to.equal('StorageUnavailable');
    expect(codeOf(apiError(10014, 'consumer not found'))).to.equal('StorageUnavailable');
  });

  it('are failures of the store otherwise', () => {
    expect(codeOf(new JetStreamError('invalid request'))).to.equal('StorageFailed');
    expect(codeOf(apiError(10059, 'stream not found'))).to.equal('StorageFailed');
  });
});
