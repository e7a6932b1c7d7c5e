import { expect } from 'chai';
import { withoutEngineSecrets } from './engine-secrets.js';

describe('withoutEngineSecrets', () => {
  it('leaves out the tokens of the engine and nothing else', () => {
    const env = { ENGINE_TOKEN: 'a', ADMIN_TOKEN: 'b', ENGINE_URL: 'c', MY_TOKEN: 'd' };
    expect(withoutEngineSecrets(env)).to.deep.equal({ ENGINE_URL: 'c', MY_TOKEN: 'd' });
    expect(env).to.have.property('ENGINE_TOKEN', 'a');
  });

  it('leaves out other variables that hold one of them', () => {
    // As the engine does with a token of its configuration.
    const shared = globalThis as unknown as Record<symbol, Set<string>>;
    (shared[Symbol.for('treadle.engine-secret-values')] ??= new Set()).add('a-token-of-this-test');
    expect(withoutEngineSecrets({ HUSH: 'a-token-of-this-test', OTHER: 'a-token' })).to.deep.equal({ OTHER: 'a-token' });
  });
});
