import { expect } from 'chai';
import type { Lifecycle } from './index.js';
import {
  Adapter, adapterSpecOf, bind, definePlugin, ERRORS, formatError, Inject, InjectAdapter, InjectAdapters, InjectConfig,
  injectionsOf, isPlugin, manyToken, Module, moduleSpecOf, OperationError, parseClassId, slot, StepFailure, token, TreadleError,
  treadleError,
} from './index.js';

const about = { summary: 's', stability: 'beta', since: '1.0.0', config: { type: 'object' } } as const;

describe('class IDs', () => {
  it('splits a module class', () => {
    expect(parseClassId('modules::queue::QueueModule')).to.deep.equal({
      id: 'modules::queue::QueueModule', owner: 'modules', block: 'queue', kind: 'module', name: 'QueueModule',
    });
  });

  it('splits an adapter class', () => {
    expect(parseClassId('acme::queue::adapters::Sqs')).to.deep.include({ owner: 'acme', block: 'queue', kind: 'adapter', name: 'Sqs' });
  });

  for (const text of ['', 'a::b::C', 'acme.queue.Sqs', 'acme::queue::sqs', 'Acme::queue::Sqs', 'acme::queue::adaptors::Sqs',
    'acme::queue::adapters::', `acme::queue::${'S'.repeat(65)}`, 'acme::queue::Sqs\n']) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(parseClassId(text)).to.equal(undefined));
  }
});

describe('tokens and slots', () => {
  it('gives two declarations of one id the same key', () => {
    expect(token('acme.Port').key).to.equal(token('acme.Port').key);
    expect(manyToken('acme.Port').many).to.equal(true);
    expect(Object.isFrozen(slot('queue'))).to.equal(true);
  });

  it('pairs a token with its value', () => {
    const port = token<number>('acme.Number');
    expect(bind(port, 1)).to.deep.equal({ token: port, value: 1 });
  });
});

describe('declarations', () => {
  const port = token<string>('acme.Port');

  @Module({ ...about, id: 'acme::one::One' })
  class One implements Lifecycle {
    constructor(@InjectConfig() readonly config: object, @Inject(port, { optional: true }) readonly port: string,
      @InjectAdapter('adapter') readonly adapter: object, @InjectAdapters('all') readonly all: object[]) {}
    stop = (): Promise<void> => Promise.resolve();
  }
  class Two extends One {}
  class Three extends One { constructor(@InjectConfig() config: object) { super(config, '', {}, []); } }

  it('remembers what each constructor parameter wants', () => {
    expect(injectionsOf(One)).to.deep.equal([
      { kind: 'config' }, { kind: 'token', token: port, optional: true }, { kind: 'adapter', path: 'adapter' }, { kind: 'adapters', path: 'all' },
    ]);
  });

  it('gives a subclass without constructor its parent\'s parameters and one with a constructor its own', () => {
    expect(injectionsOf(Two)).to.equal(injectionsOf(One));
    expect(injectionsOf(Three)).to.deep.equal([{ kind: 'config' }]);
  });

  it('does not make a subclass the module that its parent is', () => {
    expect(moduleSpecOf(One)?.id).to.equal('acme::one::One');
    expect(moduleSpecOf(Two)).to.equal(undefined);
    expect(adapterSpecOf(One)).to.equal(undefined);
  });

  it('declares an adapter', () => {
    @Adapter({ ...about, id: 'acme::queue::adapters::Fast', slot: slot<object, { durable: boolean }>('queue'), capabilities: { durable: true }, variants: { default: {} } })
    class Fast implements Lifecycle { stop = (): Promise<void> => Promise.resolve(); }
    expect(adapterSpecOf(Fast)?.slot.id).to.equal('queue');
    expect(injectionsOf(Fast)).to.deep.equal([]);
  });

  it('marks what definePlugin makes', () => {
    const plugin = definePlugin({ name: 'p', version: '1.0.0', api: '^1.0.0', modules: [One] });
    expect(isPlugin(plugin)).to.equal(true);
    expect(plugin.adapters).to.deep.equal([]);
    expect([isPlugin({}), isPlugin(null), isPlugin('treadle/Plugin')]).to.deep.equal([false, false, false]);
  });
});

describe('errors', () => {
  it('prints place, severity, code, text and hint in the one form', () => {
    const error = treadleError('CONFIG_UNKNOWN_KEY', {
      path: 'modules[0].config.hosst', owner: 'modules::stream::StreamModule', key: 'hosst', suggestion: 'host',
    }, { at: { file: 'config.yaml', line: 5, column: 7 } });
    expect(formatError(error)).to.equal(
      'config.yaml:5:7  error  CONFIG_UNKNOWN_KEY  modules[0].config.hosst: modules::stream::StreamModule has no setting "hosst"\n'
      + '    hint: did you mean "host"?');
  });

  it('prints an error without a place', () => {
    const error = treadleError('PLUGIN_NOT_A_PLUGIN', { name: 'left-pad', version: '1.3.0' });
    expect(formatError(error)).to.equal('error  PLUGIN_NOT_A_PLUGIN  package "left-pad" 1.3.0 has no "treadle" section in its package.json');
  });

  it('is recognised across copies of the class', () => {
    class Copy extends Error {}
    const copy = Object.defineProperty(new Copy(), Symbol.for('treadle.TreadleError'), { value: true });
    expect(copy instanceof TreadleError).to.equal(true);
    expect(new Copy() instanceof TreadleError).to.equal(false);
  });

  it('keeps cause, instance and suppressed errors', () => {
    const cause = new Error('disk');
    const error = treadleError('INTERNAL', { reason: 'x' }, { cause, suppressed: [1] });
    expect([error.cause, error.suppressed, error.exitCode, error.severity]).to.deep.equal([cause, [1], 70, 'error']);
  });

  it('has an exit code of the product\'s list for every code, 0 for warnings, and 1 for what is not there', () => {
    for (const [code, entry] of Object.entries(ERRORS)) {
      if (code === 'NOT_FOUND') {
        expect(entry.exit).to.equal(1);
        continue;
      }
      const expected = 'severity' in entry || code === 'ENGINE_STOPPED' ? [0] : [64, 65, 69, 70, 74, 78];
      expect(expected, code).to.include(entry.exit);
      expect(code).to.match(/^[A-Z][A-Z0-9_]+$/);
    }
  });

  it('names the classes on a circle and closes it', () => {
    const steps = [{ class: 'acme::a::A', needs: 'acme.B' }, { class: 'acme::b::B', needs: 'acme.A' }];
    expect(treadleError('MODULE_CYCLE', { steps }).message)
      .to.equal('modules depend on each other: acme::a::A needs acme.B › acme::b::B needs acme.A › acme::a::A');
  });

  it('carries what a failed Step says', () => {
    const failure = new StepFailure('unhandled_exception', 'x', { retryAfterMs: 5 });
    expect([failure.name, failure.code, failure.detail.retryAfterMs]).to.deep.equal(['StepFailure', 'unhandled_exception', 5]);
    expect(new OperationError('StaleDelivery', 'y').code).to.equal('StaleDelivery');
  });
});
