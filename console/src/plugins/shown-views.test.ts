import type { AdminCatalog, ConsoleView, InstanceStatus, PluginViews } from '@treadle/api';
import { expect } from 'chai';
import { shownViews } from './shown-views.js';

const DECLARED: ConsoleView = { id: 'table', title: 'Table', module: 'acme::beat::BeatModule', tier: 'declarative', source: '/beats' };
const CODE: ConsoleView = { id: 'code', title: 'Code', module: 'acme::beat::BeatModule', tier: 'module', entry: './page/code.js' };
const OTHER: ConsoleView = { ...DECLARED, id: 'other', module: 'acme::beat::OtherModule' };
const VIEWS: PluginViews = { package: 'acme-beat', version: '0.1.0', folder: '/srv/acme-beat', manifest: { apiVersion: 1, id: 'beat', views: [DECLARED, CODE, OTHER] } };

function catalogWith(status: InstanceStatus['status']): AdminCatalog {
  const instance = { id: 'acme::beat::BeatModule', classId: 'acme::beat::BeatModule' as const, path: 'modules[0]', package: 'acme-beat', version: '0.1.0' };
  return { views: () => [VIEWS], instances: () => [{ instance, status }], routes: () => [], addresses: () => new Map() };
}

describe('the views of plugins that the console shows', () => {
  for (const [setting, ids] of [['all', ['table', 'code']], ['declarative', ['table']], ['none', []]] as const) {
    it(`are ${ids.join(' and ') || 'none'} with plugin_views: ${setting}, and never those of a module that is not loaded`, () => {
      expect(shownViews(catalogWith('ok'), setting).map(({ view }) => view.id)).to.deep.equal(ids);
    });
  }

  it('stay with the state of their module when it has stopped', () => {
    expect(shownViews(catalogWith('stopped'), 'all').map(({ status }) => status)).to.deep.equal(['stopped', 'stopped']);
  });
});
