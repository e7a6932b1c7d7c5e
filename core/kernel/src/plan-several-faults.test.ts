import { expect } from 'chai';
import { builtin, moduleClass, planText, printed } from './kernel.fixture.js';

const ALONE = 'engine: { implicit_modules: false }\n';

describe('planEngine with several faults', () => {
  const number = { type: 'integer', default: 10, description: 'Number.' } as const;
  const asked: unknown[] = [];
  const checked = moduleClass('acme::aa::Checked', {
    config: {
      type: 'object', additionalProperties: false, required: ['host'],
      properties: {
        low: number, high: number, host: { type: 'string', description: 'Host.' },
        cors: { type: 'object', additionalProperties: false, description: 'CORS.', properties: { any: { type: 'boolean', description: 'Any.' }, age: { type: 'integer', description: 'Age.' } } },
      },
    },
    conflicts: (config) => {
      asked.push(config);
      const { low, high, cors } = config as { low: number; high: number; cors?: { any?: boolean } };
      return [...(cors?.any ? [{ key: 'cors', problem: 'too open' }] : []), ...(low > high ? [{ key: 'low', others: ['high'], problem: 'more than high' }] : [])];
    },
    check: (config) => Promise.resolve([{ key: 'host', problem: `${(config as { host: string }).host.length} letters` }, { key: 'low', problem: 'around' }]),
  });
  const codes = async (config: string, more = ''): Promise<readonly string[]> => {
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::aa::Checked\n    config: ${config}\n${more}`, [builtin([checked])]);
    return printed(errors).map((text) => text.split('  ').slice(2).join('  ')).sort();
  };

  it('tells contradictions among the settings that are valid, also within an object', async () => {
    expect(await codes('{ host: a, zzz: 1, low: 11, cors: { any: true, age: x } }')).to.deep.equal([
      'CONFIG_BAD_VALUE  modules[0].config.cors.age: expected integer, got "x"',
      'CONFIG_CONFLICT  modules[0].config.cors: too open',
      'CONFIG_CONFLICT  modules[0].config.host: 1 letters', 'CONFIG_CONFLICT  modules[0].config.low: around', 'CONFIG_CONFLICT  modules[0].config.low: more than high',
      'CONFIG_UNKNOWN_KEY  modules[0].config.zzz: acme::aa::Checked has no setting "zzz"',
    ]);
  });

  it('says nothing of what follows from a faulty setting, and survives a check that lacks one', async () => {
    expect((await codes('{ host: a, low: 11, high: x }')).filter((text) => text.includes('more than high'))).to.deep.equal([]);
    expect(asked.at(-1)).to.deep.include({ low: 11, high: 10 });
    expect((await codes('{ low: 11 }')).map((text) => text.split('  ')[0])).to.deep.equal(['CONFIG_CONFLICT', 'CONFIG_MISSING_KEY']);
  });

  it('looks around only from a root that is valid', async () => {
    const { errors } = await planText('engine: { implicit_modules: false, root: 7 }\nmodules:\n  - class: acme::aa::Checked\n    config: { host: b }\n', [builtin([checked])]);
    expect(errors.map(({ code }) => code)).to.deep.equal(['CONFIG_BAD_VALUE']);
  });

  it('tells what modules would share beside their own faults', async () => {
    expect(await codes('{ host: 1 }', '  - class: acme::aa::Checked\n    config: { host: b, zzz: 1 }\n')).to.satisfy((all: readonly string[]) =>
      all.some((text) => text.startsWith('CONFIG_DUPLICATE_INSTANCE')));
  });
});
