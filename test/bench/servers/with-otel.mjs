// Another contestant's server below OpenTelemetry's http instrumentation: a span for each request, batches go nowhere.
import { createRequire } from 'node:module';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { whenListening } from './announce.mjs';

let exported = 0;
const nowhere = {
  export(spans, done) {
    exported += spans.length;
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};
const processor = new tracing.BatchSpanProcessor(nowhere);
new NodeSDK({ serviceName: 'bench', spanProcessors: [processor], instrumentations: [new HttpInstrumentation()], metricReaders: [] }).start();
// The instrumentation takes hold of what is required, not of what is imported.
createRequire(import.meta.url)('node:http');

/** A contestant that records nothing would be the quickest. */
whenListening(async (port) => {
  await (await fetch(`http://127.0.0.1:${port}/hello`)).arrayBuffer();
  await processor.forceFlush();
  if (exported === 0) throw new Error('no span came: the http instrumentation did not take hold');
});

await import(`./${process.argv[2]}`);
