import type { Labels, SpanRecord } from '@treadle/api';
import { otlpJson, sdkNode } from './otlp-parts.js';
import { otlpSpan } from './otlp-span.js';

/** Spans as a collector would get them, without secrets: the JSON of one OTLP request, in UTF-8. */
export function otlpFile(spans: readonly SpanRecord[], resource: Labels): Uint8Array {
  const { resources: { defaultResource, resourceFromAttributes } } = sdkNode();
  const whole = defaultResource().merge(resourceFromAttributes({ ...resource }));
  return otlpJson(spans.map((span) => otlpSpan(span, whole)));
}
