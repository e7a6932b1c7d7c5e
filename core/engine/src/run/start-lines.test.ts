import { expect } from 'chai';
import { treadleError } from '@treadle/api';
import type { PlannedEntry } from '@treadle/kernel';
import { moduleFields, warningFields } from './start-lines.js';

const entry = (classId: string, more: object = {}): PlannedEntry => ({
  instance: { id: classId, classId }, adapters: [], implicit: false, ...more,
}) as unknown as PlannedEntry;

describe('start lines', () => {
  it('tell the addresses that a module announced', () => {
    expect(moduleFields(entry('modules::http::HttpModule'), ['http://a', 'http://b'])).to.deep.equal({
      module: 'modules::http::HttpModule', address: 'http://a, http://b',
    });
    expect(moduleFields(entry('modules::state::StateModule'), [])).not.to.have.property('address');
  });

  it('mark what was added, and name the adapters', () => {
    const adapters = [{ instance: { id: 'modules::runtime::adapters::Node' } }];
    expect(moduleFields(entry('modules::steps::StepsModule', { implicit: true, adapters }), [])).to.deep.equal({
      module: 'modules::steps::StepsModule', adapters: 'modules::runtime::adapters::Node', implicit: true,
    });
  });

  it('tell a warning with its place and hint', () => {
    const at = { file: 'config.yaml', line: 3, column: 5 };
    const warning = treadleError('CONFIG_DEPRECATED_KEY', { path: 'a.b', use: 'use "c"' }, { at });
    expect(warningFields(warning)).to.deep.equal({
      code: 'CONFIG_DEPRECATED_KEY', problem: 'a.b: deprecated; use "c"', at: 'config.yaml:3:5',
    });
  });
});
