import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { asOrdinaryUser, makeApp, removeApp } from '../cli.fixture.js';
import { findTests } from './find-tests.js';

describe('the tests of an application', () => {
  it('are found beside a folder that cannot be read, which is named', async () => {
    const app = makeApp({ 'package.json': '{}', 'a.test.ts': '', 'db/b.test.ts': '' }, { modules: false });
    chmodSync(app, 0o755);
    chmodSync(join(app, 'db'), 0);
    try {
      const { node, unread } = await asOrdinaryUser(() => findTests(app, []));
      expect(node).to.deep.equal(['a.test.ts']);
      expect(unread).to.have.length(1);
      expect(unread[0]).to.match(/^db\/ is not searched for tests: EACCES/);
      const refused = await asOrdinaryUser(() => findTests(app, ['b.test']).catch((error: unknown) => error));
      expect(refused).to.have.property('hint').that.matches(/^there are a\.test\.ts; db\/ is not searched for tests: EACCES/);
    } finally {
      chmodSync(join(app, 'db'), 0o755);
      removeApp(app);
    }
  });
});
