import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SchemaStyle } from './step-source.js';

/** How schemas are written in an application: with zod where its root can import it. */
export function schemaStyle(root: string): SchemaStyle {
  try {
    createRequire(join(root, 'package.json')).resolve('zod');
    return 'zod';
  } catch {
    return 'json';
  }
}
