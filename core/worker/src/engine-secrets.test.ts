import { expect } from 'chai';
import { withoutEngineSecrets } from './engine-secrets.js';

describe('withoutEngineSecrets', () => {
  it('leaves out the tokens of the engine and nothing else', () => {
    const env = { ENGINE_TOKEN: 'a', ADMIN_TOKEN: 'b', ENGINE_URL: 'c', MY_TOKEN: 'd' };
    expect(withoutEngineSecrets(env)).to.deep.equal({ ENGINE_URL: 'c', MY_TOKEN: 'd' });
    expect(env).to.have.property('ENGINE_TOKEN', 'a');
  });
});
