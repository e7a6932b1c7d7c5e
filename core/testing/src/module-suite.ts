import { expect } from 'chai';
import { parseClassId } from '@treadle/api';
import { printEffective, validateConfig, parseConfig } from '@treadle/config';
import { type ModuleLife, moduleLife, specOf } from './module-life.js';
import { addLifeTests } from './module-life-tests.js';
import type { ModuleTarget } from './module-target.js';
import { Suite, type Runner } from './runner.js';
import { badSamples, undescribed } from './schema-rules.js';

/**
 * Conformance of a module class: what every module must do whatever it is for. The module is built from YAML by the
 * real pipeline. `runner` is the caller's own; a kit that brought its own mocha would not see the caller's suites.
 */
export function moduleSuite(target: ModuleTarget, runner: Runner = globalThis as unknown as Runner): void {
  runner.describe(`module ${specOf(target).id}`, () => {
    const suite = new Suite(runner, target.skip ?? []);
    addDeclarationTests(suite, target);
    addLifeTests(suite, target);
    if (target.secrets) addSecretTests(suite, target, target.secrets);
    suite.checkSkips();
  });
}

function addDeclarationTests(suite: Suite, target: ModuleTarget): void {
  const spec = specOf(target);
  suite.test('has a well-formed class ID', () => {
    expect(parseClassId(spec.id)).to.deep.include({ kind: 'module' });
    expect(spec.summary).to.not.equal('');
  });
  suite.test('describes every setting', () => {
    expect(undescribed(spec.config)).to.deep.equal([]);
  });
  suite.test('has defaults and examples that its schema accepts', () => {
    expect(badSamples(spec.config)).to.deep.equal([]);
  });
  suite.test('refuses an unknown setting', () => {
    const { value: tree } = parseConfig('no_such_setting: 1\n', 'kit.yaml');
    const { issues } = validateConfig({
      tree, schema: spec.config, path: 'modules[0].config', owner: spec.id, at: { file: 'kit.yaml' }, env: {},
      slotKeys: Object.keys(spec.slots ?? {}),
    });
    expect(issues.map((issue) => issue.code)).to.include('CONFIG_UNKNOWN_KEY');
  });
}

function addSecretTests(suite: Suite, target: ModuleTarget, secrets: readonly string[]): void {
  suite.test('shows its secrets in no log and no print', async () => {
    const life: ModuleLife = await moduleLife(target);
    try {
      await life.engine.start();
      await life.engine.stop();
    } finally {
      await life.end();
    }
    for (const secret of secrets) {
      expect(life.log.text()).to.not.contain(secret);
      expect(printEffective(life.plan.effective)).to.not.contain(secret);
    }
  });
}
