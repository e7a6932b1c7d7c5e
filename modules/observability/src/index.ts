import { definePlugin } from '@treadle/api';
import { OtelModule } from './otel.module.js';

export { OtelModule } from './otel.module.js';
export type { OtelConfig } from './otel.config.js';
export type { CriticalPath, PathKind, PathSegment } from './spans/critical-path.js';
export type { ComparedRow, ComparedSpan, Divergence, TraceComparison } from './spans/trace-comparison.js';
export type { MarkedTracePage, TracePage, TraceQuery } from './spans/trace-search.js';
export type { TraceSummary } from './spans/trace-summary.js';
export type { SpanRow, TraceView, Wait } from './spans/trace-view.js';

export default definePlugin({ name: '@treadle/module-observability', version: '0.1.0', api: '^0.1.0', modules: [OtelModule] });
