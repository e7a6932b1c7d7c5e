import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { StepsModule } from './steps.module.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { StepsModule } from './steps.module.js';
export { StepsConfig } from './steps.config.js';
export { diagnose, type DiagnoseInput, type Diagnosis } from './diagnostics/diagnose.js';
export { overlookedFiles } from './diagnostics/overlooked-files.js';
export { sourceText } from './diagnostics/source-text.js';
export { formatDiagnostic } from './diagnostics/format-diagnostic.js';
export { condense } from './diagnostics/condense.js';
export { typesFile, writeTypes } from './types/types-file.js';
export { typesText } from './types/types-text.js';
export { Withdrawals } from './gateway/withdrawals.js';
export { WorkerConnection } from './gateway/worker-connection.js';
export type { Diagnostic } from '@treadle/api';

export default definePlugin({ name, version, api: '^0.1.0', modules: [StepsModule] });
