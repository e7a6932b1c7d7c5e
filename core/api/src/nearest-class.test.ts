import { expect } from 'chai';
import { nearestClass } from './nearest-class.js';

const NAMES = [
  'modules::http::HttpModule', 'modules::queue::QueueModule', 'modules::steps::StepsModule', 'modules::stream::StreamModule', 'modules::state::StateModule',
  'modules::observability::OtelModule', 'modules::queue::adapters::Sqlite', 'modules::state::adapters::Sqlite', 'modules::runtime::adapters::Node', 'acme::sqs::SqsAdapter',
];

describe('the class that was probably meant', () => {
  for (const [written, meant] of [
    ['modules::http::HttpModul', 'modules::http::HttpModule'],
    ['modules::htpp::HttpModule', 'modules::http::HttpModule'],
    ['HttpModule', 'modules::http::HttpModule'],
    ['httpmodule', 'modules::http::HttpModule'],
    ['HttpModul', 'modules::http::HttpModule'],
    ['http', 'modules::http::HttpModule'],
    ['http::HttpModule', 'modules::http::HttpModule'],
    ['StreamModule', 'modules::stream::StreamModule'],
    ['Node', 'modules::runtime::adapters::Node'],
    ['adapters::Nod', 'modules::runtime::adapters::Node'],
    ['SqsAdapter', 'acme::sqs::SqsAdapter'],
    ['modules::observability::ObservabilityModule', 'modules::observability::OtelModule'],
    ['ObservabilityModul', 'modules::observability::OtelModule'],
    ['observability', 'modules::observability::OtelModule'],
    ['modules::x::ObservabilityModule', undefined],
    ['Sqlite', undefined],
    ['modules::x::Sqlite', undefined],
    ['Kafka', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${String(meant)} for ${JSON.stringify(written)}`, () => expect(nearestClass(written, NAMES)).to.equal(meant));
  }
});
