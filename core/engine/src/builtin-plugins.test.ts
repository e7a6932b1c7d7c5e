import { adapterSpecOf, moduleSpecOf } from '@treadle/api';
import { expect } from 'chai';
import { BUILTIN_PLUGINS } from './builtin-plugins.js';

/** Every class of the distribution and its aliases. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'modules::http::HttpModule': ['modules::api::RestApiModule'],
  'modules::queue::QueueModule': [],
  'modules::queue::adapters::Sqlite': ['modules::queue::BuiltinQueueAdapter'],
  'modules::state::StateModule': [],
  'modules::state::adapters::Sqlite': [],
  'modules::state::adapters::KvStore': [],
  'modules::stream::StreamModule': [],
  'modules::stream::adapters::Sqlite': [],
  'modules::stream::adapters::KvStore': [],
  'modules::cron::CronModule': [],
  'modules::cron::adapters::Sqlite': ['modules::cron::KvCronAdapter'],
  'modules::observability::OtelModule': [],
  'modules::steps::StepsModule': [],
  'modules::runtime::adapters::Node': [],
  'modules::runtime::adapters::InProcess': [],
  'modules::runtime::adapters::Python': [],
  'modules::console::ConsoleModule': [],
};

describe('the classes of the distribution', () => {
  it('have the names and aliases of the specification', () => {
    const specs = BUILTIN_PLUGINS.flatMap(({ modules = [], adapters = [] }) => [...modules.map(moduleSpecOf), ...adapters.map(adapterSpecOf)]);
    const found = Object.fromEntries(specs.map((spec) => [spec?.id ?? 'undeclared', spec?.aliases ?? []]));
    expect(found).to.deep.equal(NAMES);
  });
});
