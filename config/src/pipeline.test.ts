import { expect } from 'chai';
import fc from 'fast-check';
import { outcomeOf } from './pipeline.fixture.js';

const SAMPLE = `engine: {mode: "\${MODE:production}", drain_delay_ms: 5}
plugins: [./x]
modules:
  - class: modules::stream::StreamModule
    name: one
    config:
      port: \${PORT:3112}
      origins: [a, "b"]
      labels: &l {x: y, __proto__: z}
      cors: {enabled: true, max_age: 1.5}
      size: 5
      adapter:
        class: modules::stream::adapters::KvStore
        config: {store_method: file_based, file_path: "x"}
  - {class: modules::stream::StreamModule, name: two, enabled: false, config: {labels: *l, token: 12345678}}
`;

const pieces = fc.constantFrom(
  '', ' ', '\n', ':', '- ', '[', ']', '{', '}', '"', '&l', '*l', '${X}', '${', 'null', '[]', '{}', '-1', 'true', '1e400', '.nan', '__proto__', '!!int ', '|', '#',
  'class', 'config', 'adapter', 'port', '\u0000', '😀', 'x'.repeat(200),
);
const mutation = fc.record({ at: fc.nat({ max: SAMPLE.length }), cut: fc.nat({ max: 12 }), insert: pieces });
const mutated = fc.array(mutation, { minLength: 1, maxLength: 4 }).map((mutations) =>
  mutations.reduce((text, { at, cut, insert }) => text.slice(0, at) + insert + text.slice(at + cut), SAMPLE));

describe('the stages together', () => {
  it('take any mutation of a configuration: a result, or errors that name place and path', () => {
    const line = /^(?:config\.yaml:\d+(?::\d+)? {2}(?:error|warning) {2}[A-Z_]+ {2}\S| {4}hint: | *\d+ \||-+\^$)/;
    fc.assert(fc.property(mutated, fc.dictionary(fc.constantFrom('X', 'PORT', 'MODE', 'STREAM_PORT'), fc.string()), (yaml, env) => {
      const outcome = outcomeOf(yaml, env);
      const printed = outcome.startsWith('plugins:') || outcome.startsWith('engine:') || outcome.includes('\nengine:');
      if (!printed) for (const text of outcome.trimEnd().split('\n')) expect(text).to.match(line);
    }), { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500), seed: 20_261_120 });
  });
});
