import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../architecture/workspace.js';

export const ORDER_STEP = `import { http, step } from 'treadle';
import { z } from 'zod';

const order = z.strictObject({
  title: z.string().min(1).max(200),
  description: z.string(),
  priority: z.enum(['low', 'normal', 'high']),
  customer: z.strictObject({ id: z.string().min(1), name: z.string(), age: z.number().int().min(0).max(150) }),
  tags: z.array(z.string()).max(20),
});

export default step(
  { name: 'TakeOrder', triggers: [http('POST', '/orders', { bodySchema: order })] },
  async ({ body }) => ({ status: 200, body: { id: body.customer.id, title: body.title, accepted: true } }),
);
`;

/** A GET Step in TypeScript. */
export function getStep(name: string, path: string): string {
  return `import { http, step } from 'treadle';

export default step(
  { name: '${name}', triggers: [http('GET', '${path}')] },
  async () => ({ status: 200, body: { message: 'hello world' } }),
);
`;
}

/** Writes an application into a fresh folder that finds the repository's packages. */
export function writeApplication(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-bench-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  mkdirSync(join(folder, 'steps'));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}

const OFF = `
  - class: modules::observability::OtelModule
    config: { enabled: false }`;

/** Nothing but ports and the runtime is configured, unless telemetry is off: what is measured is what users get. */
export function benchConfig(runtime: 'Node' | 'InProcess', { port = 0, telemetry = true } = {}): string {
  return `modules:${telemetry ? '' : OFF}
  - class: modules::http::HttpModule
    config: { port: ${port} }
  - class: modules::steps::StepsModule
    config:
      port: false
      runtimes:
        - class: modules::runtime::adapters::${runtime}
`;
}
